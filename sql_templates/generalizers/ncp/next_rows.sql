{#
relation = "open_rows"
grain = "one row per tuple of a node that splits"
key = ["row_id"]
inputs = ["open_rows", "tuple_sides", "splits"]
params = ["words"]
columns = ["row_id", "node_id", "codes_{word}"]
paper = "Algorithm 4, lines 16 and 17"
why = "Every tuple moves to the child of its side."
#}
SELECT
    open_rows.row_id,
    splits.left_id + CAST(NOT tuple_sides.in_first AS INTEGER) AS node_id
{% for word in words %}
    , open_rows.{{ col("codes", word) }}
{% endfor %}
FROM {{ rel("open_rows") }} AS open_rows
JOIN {{ rel("tuple_sides") }} AS tuple_sides ON tuple_sides.row_id = open_rows.row_id
JOIN {{ rel("splits") }} AS splits ON splits.node_id = tuple_sides.node_id
