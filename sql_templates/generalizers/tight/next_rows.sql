{#
relation = "next_rows"
grain = "one row per tuple of a node that splits"
key = ["row_id"]
inputs = ["keyed_rows", "splits", "left_keys"]
params = ["boxes", "words", "orders"]
columns = ["row_id", "node_id", "luck", "codes_{word}", "{span}_at", "mask_{mask}"]
why = "Every tuple moves to its child."
#}
{% import "_macros/boxes.sql" as box with context %}
SELECT
    keyed_rows.row_id,
    splits.left_id + CASE WHEN left_keys.key IS NULL THEN 1 ELSE 0 END AS node_id,
    keyed_rows.luck
{{ box.carried(boxes, words) }}
FROM {{ rel("keyed_rows") }} AS keyed_rows
JOIN {{ rel("splits") }} AS splits ON splits.node_id = keyed_rows.node_id
LEFT JOIN {{ rel("left_keys") }} AS left_keys
    ON left_keys.node_id = keyed_rows.node_id
    AND left_keys.key = CASE splits.ordering
{% for order in orders %}
        WHEN {{ order.number }} THEN {{ box.key(boxes, order) }}
{% endfor %}
    END
