{#
relation = "grouped_rows"
grain = "one row per tuple whose node became a group at this level; levels are appended"
key = ["row_id"]
inputs = ["open_rows", "closed_nodes"]
params = ["words", "groups_so_far"]
columns = ["row_id", "group_id", "codes_{word}"]
paper = "Algorithm 3, lines 25 and 26"
why = "The generalizer's result: which tuple is in which group, with the codes that the group's box is made of."
#}
SELECT
    open_rows.row_id,
    closed_nodes.group_id
{% for word in words %}
    , open_rows.{{ col("codes", word) }}
{% endfor %}
FROM {{ rel("open_rows") }} AS open_rows
JOIN {{ rel("closed_nodes") }} AS closed_nodes ON closed_nodes.node_id = open_rows.node_id
WHERE closed_nodes.group_id > {{ groups_so_far }}
