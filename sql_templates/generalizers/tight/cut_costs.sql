{#
relation = "cut_costs"
grain = "one row per node, order and key: the cut behind it"
key = ["node_id", "ordering", "key"]
inputs = ["cut_boxes", "placed_boxes", "domain_scales"]
params = ["boxes", "levels", "by_frequency", "lost_group_percent", "k"]
columns = ["node_id", "ordering", "key", "node_tuples", "left_tuples", "penalty"]
why = "What NCP charges in all for both sides of every cut, as running boxes from both ends. A cut that loses groups (side sizes just below a multiple of k) pays for them. Unordered attributes run by frequency within the node. NULL where a side has fewer than k."
#}
{% import "_macros/boxes.sql" as box with context %}
WITH sides AS (
    SELECT
        node_id,
        ordering,
        key,
        node_tuples,
        CAST(sum(tuples) OVER up_to_here AS BIGINT) AS left_tuples
{% for a in boxes.spans %}
        , min({{ col(a.name, "low") }}) OVER up_to_here AS {{ col(a.name, "low_left") }}
        , max({{ col(a.name, "high") }}) OVER up_to_here AS {{ col(a.name, "high_left") }}
        , min({{ col(a.name, "low") }}) OVER beyond AS {{ col(a.name, "low_right") }}
        , max({{ col(a.name, "high") }}) OVER beyond AS {{ col(a.name, "high_right") }}
{% endfor %}
{% for mask in boxes.masks %}
        , bit_or({{ col("mask", mask) }}) OVER up_to_here AS {{ col("mask", mask ~ "_left") }}
        , bit_or({{ col("mask", mask) }}) OVER beyond AS {{ col("mask", mask ~ "_right") }}
{% endfor %}
    FROM {{ rel("placed_boxes") if levels else rel("cut_boxes") }}
    WINDOW
        in_order AS (
            PARTITION BY node_id, ordering
            ORDER BY
{% for level in levels %}
                {{ col("subtree", level) }} DESC, {{ col("ancestor", level) }},
{% endfor %}
                CASE WHEN ordering IN ({% for order in by_frequency %}{{ order }}{{ comma(loop.last) }} {% endfor %}) THEN -tuples ELSE 0 END,
                key
        ),
        up_to_here AS (in_order ROWS UNBOUNDED PRECEDING),
        beyond AS (in_order ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)
)
SELECT
    node_id,
    ordering,
    key,
    node_tuples,
    left_tuples,
    CASE WHEN left_tuples >= {{ k }} AND node_tuples - left_tuples >= {{ k }} THEN
        (left_tuples * {{ box.cost(boxes, "_left") }}
        + (node_tuples - left_tuples) * {{ box.cost(boxes, "_right") }})
        * (1 + {{ lost_group_percent }} * (node_tuples // {{ k }} - left_tuples // {{ k }} - (node_tuples - left_tuples) // {{ k }}) / (100 * (node_tuples // {{ k }})))
    END AS penalty
FROM sides
{{ box.with_scales(boxes) }}
