{#
relation = "domain_{attribute}"
grain = "one row per value that the release shows of an unordered attribute, then one per value that the policy declares"
key = ["declared", "value"]
inputs = ["groups", "sat", "declared_values"]
params = ["attribute", "most_cells"]
columns = ["value", "weight", "declared"]
why = "How many tuples have a value, estimated from released tables alone. What buckets list is counted, and so is each member of a set, which occurs in every group; the rest of a set is shared out among its members in proportion to these counts, one step towards the maximum of likelihood (more made it worse on census rows). A leaf under a node need not occur: it enters with the buckets' count and one, and all tuples of the node are shared out. Beyond most_cells members a set is shared out evenly."
#}
WITH sets AS (
    SELECT
        row_number() OVER () AS cell,
        {{ col(attribute.name, "set") }} AS members,
        CAST(sum(size) AS DOUBLE) AS tuples,
{% if attribute.shows_node %}
        0 AS certain,
{% else %}
        CASE WHEN len(members) = 1 OR sum(len(members)) OVER () > {{ most_cells }} THEN tuples / len(members)
            ELSE count(*) END AS certain,
{% endif %}
        tuples - certain * len(members) AS open_tuples
    FROM {{ rel("groups") }}
    WHERE {{ col(attribute.name, "set") }} IS NOT NULL
    GROUP BY members
),
cells AS (
    SELECT cell, unnest(members) AS value, certain, open_tuples FROM sets
),
weights AS (
    SELECT value, CAST(sum(tuples) AS DOUBLE) AS certain{% if attribute.shows_node %}, certain + 1{% else %}, certain{% endif %} AS weight
    FROM (
        SELECT value, certain AS tuples FROM cells WHERE value IS NOT NULL
{% if attribute.principle %}
        UNION ALL
        SELECT value, n FROM {{ rel("sat") }} WHERE value IS NOT NULL
{% endif %}
    ) AS counted
    GROUP BY value
)
SELECT
    weights.value,
    greatest(round(any_value(weights.certain) + coalesce(sum(shared.tuples), 0), 6), 0.000001) AS weight,
    FALSE AS declared
FROM weights
LEFT JOIN (
    SELECT value, cells.open_tuples * weight / sum(weight) OVER (PARTITION BY cell) AS tuples
    FROM cells
    JOIN weights USING (value)
    WHERE cells.open_tuples > 0
) AS shared ON shared.value = weights.value
GROUP BY weights.value
{% if attribute.domain or attribute.hierarchy %}
UNION ALL
SELECT value, NULL, TRUE FROM {{ rel("declared_values") }}
{% endif %}
ORDER BY declared, value
