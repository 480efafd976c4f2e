{#
relation = "cut_boxes"
grain = "one row per node, order and key: the tuples of the node that share it"
key = ["node_id", "ordering", "key"]
inputs = ["keyed_rows"]
params = ["boxes", "orders"]
columns = ["node_id", "node_tuples", "ordering", "key", "tuples", "{span}_low", "{span}_high", "mask_{mask}"]
why = "What the cuts of all orders are made of: every attribute's values and every axis's places, each with its box. Tuples with the same key are never parted."
#}
{% import "_macros/boxes.sql" as box with context %}
{% import "_macros/codes.sql" as codes with context %}
SELECT
    node_id,
    node_tuples,
    CASE
{% for order in orders %}
        WHEN grouping({{ col("key", order.number) }}) = 0 THEN {{ order.number }}
{% endfor %}
    END AS ordering,
    coalesce({% for order in orders %}{{ col("key", order.number) }}{{ comma(loop.last) }} {% endfor %}) AS key,
    count(*) AS tuples
{{ box.joined(boxes, true) }}
FROM (
    SELECT
        *
{% for order in orders %}
        , {{ box.key(boxes, order) }} AS {{ col("key", order.number) }}
{% endfor %}
    FROM {{ rel("keyed_rows") }}
) AS rows_with_keys
GROUP BY GROUPING SETS (
{% for order in orders %}
    (node_id, node_tuples, {{ col("key", order.number) }}){{ comma(loop.last) }}
{% endfor %}
)
