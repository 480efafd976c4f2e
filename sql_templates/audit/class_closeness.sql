{#
relation = "class_closeness"
grain = "one row for the sensitive column"
key = []
inputs = ["class_counts"]
params = []
columns = ["t_equal", "beta", "delta", "values_absent"]
why = "Equal distance: half the sum of |q - p|. beta: largest (q - p) / p. delta: largest |ln(q / p)| over values that a class holds; where a class lacks a value, delta-disclosure is unbounded."
#}
WITH frequencies AS (
    SELECT value, CAST(sum(n) AS DOUBLE) AS n_v, sum(sum(n)) OVER () AS n_all, count(*) OVER () AS m
    FROM {{ rel("class_counts") }}
    GROUP BY value
),
sizes AS (
    SELECT class_id, CAST(sum(n) AS DOUBLE) AS s
    FROM {{ rel("class_counts") }}
    GROUP BY class_id
),
classes AS (
    SELECT
        counted.class_id,
        -- values that the class lacks add p each
        (sum(abs(n / s - n_v / n_all)) + 1 - sum(n_v) / any_value(n_all)) / 2 AS distance,
        max((n / s) / (n_v / n_all)) - 1 AS lift,
        max(abs(ln((n / s) / (n_v / n_all)))) AS log_ratio,
        any_value(m) - count(*) AS absent
    FROM {{ rel("class_counts") }} AS counted
    JOIN sizes ON sizes.class_id = counted.class_id
    JOIN frequencies ON frequencies.value IS NOT DISTINCT FROM counted.value
    GROUP BY counted.class_id
)
SELECT
    greatest(max(distance), 0) AS t_equal,
    greatest(max(lift), 0) AS beta,
    max(log_ratio) AS delta,
    max(absent) > 0 AS values_absent
FROM classes
