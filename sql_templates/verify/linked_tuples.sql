{#
relation = "linked_tuples"
grain = "one row per released tuple"
key = ["rid"]
inputs = ["tuples", "row_links"]
params = ["bucketed"]
columns = ["rid", "row_id", "gid", "{bucketed}_bid"]
why = "Released tuples beside the source row that each stands for. Both are stored by rid, so they are put side by side; that tuples is stored so, without a gap, is checked before (ids_out_of_order)."
#}
SELECT
    cells.rid,
    links.row_id,
    cells.gid
{% for a in bucketed %}
    , cells.{{ col(a.name, "bid") }}
{% endfor %}
FROM {{ rel("tuples") }} AS cells
POSITIONAL JOIN {{ rel("row_links") }} AS links
