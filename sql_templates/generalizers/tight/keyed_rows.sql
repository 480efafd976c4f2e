{#
relation = "keyed_rows"
grain = "one row per tuple of a node that is large enough to split"
key = ["row_id"]
inputs = ["boxed_rows", "node_seeds", "node_axes", "domain_scales"]
params = ["boxes", "words", "axes"]
columns = ["row_id", "node_id", "luck", "codes_{word}", "{span}_at", "mask_{mask}", "node_tuples", "axis_{axis}"]
paper = "Algorithm 4, divide_table: nearer to one seed or to the other"
why = "Where every tuple stands on each axis of its node: how much nearer it is to the one end than to the other, in steps of 1/64: fewer keys, and the groups lose no more than 0.3 %."
#}
{% import "_macros/boxes.sql" as box with context %}
SELECT
    boxed_rows.row_id,
    boxed_rows.node_id,
    boxed_rows.luck
{{ box.carried(boxes, words) }}
    , node_seeds.node_tuples
{% for axis in axes %}
    , round(64 * ({{ box.distance(boxes, "seed", axis) }} - {{ box.distance(boxes, "far", axis) }})) AS {{ col("axis", axis) }}
{% endfor %}
FROM {{ rel("boxed_rows") }} AS boxed_rows
JOIN {{ rel("node_seeds") }} AS node_seeds ON node_seeds.node_id = boxed_rows.node_id
JOIN {{ rel("node_axes") }} AS node_axes ON node_axes.node_id = boxed_rows.node_id
{{ box.with_scales(boxes) }}
