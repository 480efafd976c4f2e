{#
relation = "next_rows"
grain = "one row per tuple of a node that splits"
key = ["row_id"]
inputs = ["open_rows", "splits", "left_values"]
params = ["attributes", "clustered"]
columns = ["row_id", "root_id", "node_id", "{attribute}_code"]
paper = "Algorithm 3, lines 13 to 17"
why = "Every tuple moves to its child. Sorted by node once, when nodes get small, later levels group twice as fast."
#}
WITH placed_rows AS (
    SELECT
        open_rows.*,
        splits.left_id,
        splits.cut_code,
        CASE splits.attribute
{% for a in attributes %}
            WHEN {{ loop.index0 }} THEN open_rows.{{ col(a.name, "code") }}
{% endfor %}
        END AS code
    FROM {{ rel("open_rows") }} AS open_rows
    JOIN {{ rel("splits") }} AS splits ON splits.node_id = open_rows.node_id
)
SELECT
    placed_rows.row_id,
    placed_rows.root_id,
    CASE
        WHEN placed_rows.code <= placed_rows.cut_code OR left_values.code IS NOT NULL THEN placed_rows.left_id
        ELSE placed_rows.left_id + 1
    END AS node_id
{% for a in attributes %}
    , placed_rows.{{ col(a.name, "code") }}
{% endfor %}
FROM placed_rows
LEFT JOIN {{ rel("left_values") }} AS left_values
    ON left_values.node_id = placed_rows.node_id AND left_values.code = placed_rows.code
{% if clustered %}
ORDER BY 3
{% endif %}
