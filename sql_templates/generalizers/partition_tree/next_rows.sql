{#
relation = "next_rows"
grain = "one row per tuple of a node that splits"
key = ["row_id"]
inputs = ["open_rows", "splits", "left_values"]
params = ["words", "clustered"]
columns = ["row_id", "node_id", "codes_{word}"]
paper = "Algorithm 3, lines 13 to 17"
why = "Every tuple moves to its child. Sorted by node once, when nodes get small, later levels group twice as fast."
#}
{% import "_macros/codes.sql" as codes with context %}
SELECT
    open_rows.row_id,
    CASE
        WHEN {{ codes.chosen_code(words) }} <= splits.cut_code OR left_values.code IS NOT NULL THEN splits.left_id
        ELSE splits.left_id + 1
    END AS node_id
{% for word in words %}
    , open_rows.{{ col("codes", word) }}
{% endfor %}
FROM {{ rel("open_rows") }} AS open_rows
JOIN {{ rel("splits") }} AS splits ON splits.node_id = open_rows.node_id
LEFT JOIN {{ rel("left_values") }} AS left_values
    ON left_values.node_id = open_rows.node_id AND left_values.code = {{ codes.chosen_code(words) }}
{% if clustered %}
ORDER BY node_id
{% endif %}
