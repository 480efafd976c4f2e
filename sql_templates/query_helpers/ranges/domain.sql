{#
relation = "domain_{attribute}"
grain = "one row per value that the release shows of an ordered attribute, then one per value that the policy declares"
key = ["declared", "value"]
inputs = ["groups", "sat", "declared_values"]
params = ["attribute", "steps", "most_cells"]
columns = ["value", "weight", "declared"]
why = "How many tuples have a value, estimated from released tables alone. What buckets list is counted, and so are both ends of a range, which occur in every group; the rest of a range is shared out among the values inside in proportion to their weights, in a few steps towards the maximum of likelihood. A step adds a range's share per unit of weight at its low end and takes it off behind its high end, so that it reads ranges and values once. Beyond most_cells ranges the rest goes to both ends alike."
#}
{% from "_macros/places.sql" import place %}
WITH cells AS (
    SELECT
        {{ col(attribute.name, "lo") }} AS lo,
        {{ col(attribute.name, "hi") }} AS hi,
        CAST(sum(size) AS DOUBLE) AS tuples,
        CASE WHEN lo = hi OR count(*) OVER () > {{ most_cells }} THEN tuples / 2 ELSE count(*) END AS at_each_end
    FROM {{ rel("groups") }}
    WHERE {{ col(attribute.name, "lo") }} IS NOT NULL
    GROUP BY lo, hi
),
weights_0 AS (
    SELECT *, sum(weight) OVER (ORDER BY place) AS up_to_here
    FROM (
        SELECT
            value,
            CAST(sum(tuples) AS DOUBLE) AS certain,
            certain AS weight,
            row_number() OVER (ORDER BY {{ place(attribute, col("value")) }}) AS place
        FROM (
            SELECT unnest([lo, hi]) AS value, at_each_end AS tuples FROM cells
{% if attribute.principle %}
            UNION ALL
            SELECT value, n FROM {{ rel("sat") }} WHERE value IS NOT NULL
{% endif %}
        ) AS counted
        GROUP BY value
    ) AS placed
),
open_cells AS (
    SELECT low.place AS low, high.place AS high, cells.tuples - 2 * cells.at_each_end AS tuples
    FROM cells
    JOIN weights_0 AS low ON low.value = cells.lo
    JOIN weights_0 AS high ON high.value = cells.hi
    WHERE cells.tuples > 2 * cells.at_each_end
)
{% for step in steps %}
, weights_{{ step + 1 }} AS (
    SELECT *, sum(weight) OVER (ORDER BY place) AS up_to_here
    FROM (
        SELECT value, certain, place,
            certain + weight * greatest(sum(coalesce(share, 0)) OVER (ORDER BY place), 0) AS weight
        FROM weights_{{ step }}
        LEFT JOIN (
            SELECT place, sum(share) AS share
            FROM (
                SELECT
                    unnest([open_cells.low, open_cells.high + 1]) AS place,
                    open_cells.tuples / (high.up_to_here - low.up_to_here + low.weight) * unnest([1, -1]) AS share
                FROM open_cells
                JOIN weights_{{ step }} AS low ON low.place = open_cells.low
                JOIN weights_{{ step }} AS high ON high.place = open_cells.high
            ) AS marks
            GROUP BY place
        ) AS marked USING (place)
    ) AS shared
)
{% endfor %}
SELECT value, round(weight, 6) AS weight, FALSE AS declared FROM weights_{{ steps | length }}
{% if attribute.domain %}
UNION ALL
SELECT value, NULL, TRUE FROM {{ rel("declared_values") }}
{% endif %}
ORDER BY declared, value
