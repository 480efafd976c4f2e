{#
relation = "placed_boxes"
grain = "one row per node, order and key"
key = ["node_id", "ordering", "key"]
inputs = ["cut_boxes", "domain_scales"]
params = ["boxes", "levels"]
columns = ["node_id", "node_tuples", "ordering", "key", "tuples", "{span}_low", "{span}_high", "mask_{mask}", "ancestor_{level}", "subtree_{level}"]
why = "Where an attribute has a hierarchy, its values run depth first, at every level the subtree with most tuples of the node first: a side of a cut then has a low common ancestor. Other orders have no ancestors; no order has, where everybody flagged the attributes with a hierarchy."
#}
{% import "_macros/boxes.sql" as box with context %}
WITH boxes_with_ancestors AS (
    SELECT
        cut_boxes.*
{% for level in levels %}
        , CASE ordering
{% for a in boxes.trees if level < a.hierarchy.height %}
            WHEN {{ a.place }} THEN domain_scales.{{ col(a.name, "level_" ~ level) }}[CAST(key AS BIGINT) + 1]
{% else %}
            WHEN NULL THEN NULL
{% endfor %}
        END AS {{ col("ancestor", level) }}
{% endfor %}
    FROM {{ rel("cut_boxes") }} AS cut_boxes
    CROSS JOIN {{ rel("domain_scales") }} AS domain_scales
)
SELECT
    node_id,
    node_tuples,
    ordering,
    key,
    tuples
{{ box.box_columns(boxes) }}
{% for level in levels %}
    , {{ col("ancestor", level) }}
    , CASE WHEN {{ col("ancestor", level) }} IS NOT NULL
        THEN sum(tuples) OVER (PARTITION BY node_id, ordering, {{ col("ancestor", level) }}) END AS {{ col("subtree", level) }}
{% endfor %}
FROM boxes_with_ancestors
