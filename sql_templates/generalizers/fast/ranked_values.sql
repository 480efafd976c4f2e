{#
relation = "ranked_values"
grain = "one row per node, attribute and value, with the tuples up to and including it"
key = ["node_id", "attribute", "code"]
inputs = ["value_counts", "domain_scales"]
params = ["unordered", "trees", "levels"]
columns = ["node_id", "attribute", "node_tuples", "code", "running"]
paper = "Algorithm 3, line 12, with a better order of unordered attributes"
why = "Ordered attributes by value; unordered ones by frequency within the node, most frequent first, ties by value. With a hierarchy depth first, at every level the subtree with most tuples of the node first: a side of the cut then has a low common ancestor."
#}
{% if levels %}
WITH placed_values AS (
    SELECT
        value_counts.*
{% for level in levels %}
        , CASE attribute
{% for a in trees if level < a.hierarchy.height %}
            WHEN {{ a.place }} THEN domain_scales.{{ col(a.name, "level_" ~ level) }}[code + 1]
{% endfor %}
        END AS {{ col("level", level) }}
{% endfor %}
    FROM {{ rel("value_counts") }} AS value_counts
    CROSS JOIN {{ rel("domain_scales") }} AS domain_scales
),
value_counts_with_subtrees AS (
    SELECT
        *
{% for level in levels %}
        , sum(tuples) OVER (PARTITION BY node_id, attribute, {{ col("level", level) }}) AS {{ col("subtree", level) }}
{% endfor %}
    FROM placed_values
)
{% endif %}
SELECT
    node_id,
    attribute,
    node_tuples,
    code,
    CAST(sum(tuples) OVER (
        PARTITION BY node_id, attribute
        ORDER BY
{% for level in levels %}
            {{ col("subtree", level) }} DESC, {{ col("level", level) }},
{% endfor %}
            CASE WHEN attribute IN ({% for a in unordered %}{{ a }}{{ comma(loop.last) }}{% endfor %}) THEN -tuples ELSE code END, code
        ROWS UNBOUNDED PRECEDING
    ) AS BIGINT) AS running
{% if levels %}
FROM value_counts_with_subtrees
{% else %}
FROM {{ rel("value_counts") }}
{% endif %}
