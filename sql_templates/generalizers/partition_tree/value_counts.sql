{#
relation = "value_counts"
grain = "one row per node and value of the node's chosen attribute"
key = ["node_id", "attribute", "code"]
inputs = ["open_rows", "node_choice"]
params = ["words"]
columns = ["node_id", "attribute", "node_tuples", "code", "tuples"]
paper = "Algorithm 3, line 12: cal_median works on value counts"
why = "A histogram, not a quantile: it gives the cut and both sizes at once."
#}
{% import "_macros/codes.sql" as codes with context %}
SELECT
    counted.node_id,
    node_choice.attribute,
    node_choice.tuples AS node_tuples,
    counted.place >> node_choice.shift AS code,
    counted.tuples
FROM (
    SELECT open_rows.node_id, {{ codes.chosen_place(words) }} AS place, count(*) AS tuples
    FROM {{ rel("open_rows") }} AS open_rows
    JOIN {{ rel("node_choice") }} AS node_choice ON node_choice.node_id = open_rows.node_id
    GROUP BY ALL
) AS counted
JOIN {{ rel("node_choice") }} AS node_choice ON node_choice.node_id = counted.node_id
