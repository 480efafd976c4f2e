{#
relation = "placed_rows"
grain = "one row per tuple whose node became a group at this level; levels are appended"
key = ["row_id"]
inputs = ["boxed_rows", "closed_nodes"]
params = ["boxes", "words"]
columns = ["row_id", "root_id", "place", "luck", "codes_{word}", "{span}_at", "mask_{mask}"]
why = "The tree's groups, named by their place in it, with all that moving tuples needs."
#}
{% import "_macros/boxes.sql" as box with context %}
SELECT
    boxed_rows.row_id,
    closed_nodes.root_id,
    closed_nodes.place,
    boxed_rows.luck
{{ box.carried(boxes, words) }}
FROM {{ rel("boxed_rows") }} AS boxed_rows
JOIN {{ rel("closed_nodes") }} AS closed_nodes ON closed_nodes.node_id = boxed_rows.node_id
