{#
relation = "buckets_not_t_close"
grain = "one row per violating bucket"
key = ["bid"]
inputs = ["sat"]
params = ["numerator", "denominator", "smallest"]
columns = ["bid", "size"]
why = "Equal distance in whole numbers: sum over v of |n_v * s - c_v * N| <= 2 * N * s * t; at least two values, at least 1/t tuples."
#}
WITH frequencies AS (
    SELECT value, CAST(sum(n) AS HUGEINT) AS n_v
    FROM {{ rel("sat") }}
    GROUP BY value
),
sizes AS (
    SELECT bid, CAST(sum(n) AS HUGEINT) AS s, count(*) AS distinct_values
    FROM {{ rel("sat") }}
    GROUP BY bid
),
total AS (
    SELECT CAST(sum(n) AS HUGEINT) AS n_all FROM {{ rel("sat") }}
)
SELECT sizes.bid, sizes.s AS size
FROM {{ rel("sat") }} AS shown
JOIN frequencies ON frequencies.value IS NOT DISTINCT FROM shown.value
JOIN sizes ON sizes.bid = shown.bid
CROSS JOIN total
GROUP BY sizes.bid, sizes.s, sizes.distinct_values, total.n_all
HAVING sizes.distinct_values < 2
    OR sizes.s < {{ smallest }}
    -- values that the bucket lacks add n_v * s each
    OR (sum(abs(n_v * s - n * n_all)) + s * (n_all - sum(n_v))) * {{ denominator }} > 2 * n_all * s * {{ numerator }}
