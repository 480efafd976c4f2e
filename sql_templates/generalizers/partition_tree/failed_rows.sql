{#
relation = "failed_rows"
grain = "one row per tuple of a node whose widest attribute allows no cut"
key = []
inputs = ["open_rows", "node_choice", "cuts"]
params = ["words"]
columns = ["node_id", "node_tuples", "failed_attribute", "codes_{word}"]
paper = "Algorithm 3, line 21: the failed attribute leaves QI_set"
why = "A table of its own: DuckDB 2.0.0 fails with an internal error where UNNEST follows a join in one statement."
#}
SELECT
    open_rows.node_id,
    node_choice.tuples AS node_tuples,
    node_choice.attribute AS failed_attribute
{% for word in words %}
    , open_rows.{{ col("codes", word) }}
{% endfor %}
FROM {{ rel("open_rows") }} AS open_rows
JOIN {{ rel("node_choice") }} AS node_choice ON node_choice.node_id = open_rows.node_id
WHERE NOT EXISTS (SELECT 1 FROM {{ rel("cuts") }} AS cuts WHERE cuts.node_id = node_choice.node_id)
