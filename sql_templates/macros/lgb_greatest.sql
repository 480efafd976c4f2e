{#
relation = "lgb_greatest"
grain = "one row per key of the units"
key = ["key", "other_values"]
inputs = []
params = []
columns = ["key", "lower", "estimate", "upper", "lower_expected", "upper_expected", "n_must", "n_may", "other_values"]
why = "At most the greatest value that may count. Where so many of a unit's values must count, not all of them are below that many of its least; without such a unit at least the least value that may count, and there may be no answer at all."
#}
WITH ends AS (
    SELECT
        u.key,
        u.other,
        min(u.lows[1]) FILTER (WHERE u.most > 0) AS low_certain,
        max(u.lows[u.least]) FILTER (WHERE u.least > 0) AS sure_certain,
        max(u.highs[len(u.highs)]) FILTER (WHERE u.most > 0) AS high_certain,
        min(u.lows[1]) FILTER (WHERE u.ceiling > 0) AS low_expected,
        max(u.lows[u.floor]) FILTER (WHERE u.floor > 0) AS sure_expected,
        max(u.highs[len(u.highs)]) FILTER (WHERE u.ceiling > 0) AS high_expected,
        bool_and(u.bounded) AS bounded,
        CAST(sum(u.n_must) AS BIGINT) AS n_must,
        CAST(sum(u.n_may) AS BIGINT) AS n_may
    FROM (SELECT unnest({{ col("units") }}, max_depth := 2)) AS u
    GROUP BY u.key, u.other
),
bounds AS (
    SELECT
        e.key,
        e.other,
        coalesce(e.sure_certain, CASE WHEN e.bounded THEN e.low_certain END) AS lower_certain,
        CASE WHEN e.bounded THEN e.high_certain END AS upper_certain,
        coalesce(e.sure_expected, CASE WHEN e.bounded THEN e.low_expected END) AS lower_expected,
        CASE WHEN e.bounded THEN e.high_expected END AS upper_expected,
        e.n_must,
        e.n_may
    FROM ends AS e
)
SELECT
    b.key,
    b.lower_certain AS lower,
    (CAST(b.lower_expected AS DOUBLE) + CAST(b.upper_expected AS DOUBLE)) / 2 AS estimate,
    b.upper_certain AS upper,
    b.lower_expected,
    b.upper_expected,
    b.n_must,
    b.n_may,
    b.other AS other_values
FROM bounds AS b
