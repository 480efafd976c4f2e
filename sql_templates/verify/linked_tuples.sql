{#
relation = "linked_tuples"
grain = "one row per released tuple"
key = ["rid"]
inputs = ["tuples", "row_links"]
params = ["bucketed"]
columns = ["rid", "linked_rid", "row_id", "gid", "{bucketed}_bid"]
why = "Released tuples beside the source row that each stands for. Both are stored by rid, so they are put side by side; linked_rid shows that they match."
#}
SELECT
    cells.rid,
    links.rid AS linked_rid,
    links.row_id,
    cells.gid
{% for a in bucketed %}
    , cells.{{ col(a.name, "bid") }}
{% endfor %}
FROM {{ rel("tuples") }} AS cells
POSITIONAL JOIN {{ rel("row_links") }} AS links
