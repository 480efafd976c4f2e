{#
relation = "lgb_sums"
grain = "one row per key of the units"
key = ["key", "other_values"]
inputs = []
params = []
columns = ["key", "lower", "estimate", "upper", "lower_expected", "upper_expected", "n_must", "n_may", "other_values"]
paper = "Section on queries; the certain bounds are not the paper's"
why = "The least sum takes as many negative values as it may and as few others as it must; the greatest mirrors it. A withheld value without declared ends has no bound."
#}
WITH chosen AS (
    SELECT
        u.*,
        greatest(u.least, least(u.below, u.most)) AS fewest,
        len(u.highs) - greatest(u.least, least(u.above, u.most)) AS passed,
        len(u.highs) - u.ceiling AS passed_expected
    FROM (SELECT unnest({{ col("units") }}, max_depth := 2)) AS u
)
SELECT
    c.key,
    CASE WHEN bool_and(c.bounded) THEN coalesce(sum(list_sum(c.lows[1 : c.fewest])), 0) END AS lower,
    sum(c.estimated_sum) AS estimate,
    CASE WHEN bool_and(c.bounded)
        THEN coalesce(sum(list_sum(c.highs[c.passed + 1 : len(c.highs)])), 0) END AS upper,
    CASE WHEN bool_and(c.bounded) THEN coalesce(sum(list_sum(c.lows[1 : c.floor])), 0) END AS lower_expected,
    CASE WHEN bool_and(c.bounded)
        THEN coalesce(sum(list_sum(c.highs[c.passed_expected + 1 : len(c.highs)])), 0) END AS upper_expected,
    CAST(sum(c.n_must) AS BIGINT) AS n_must,
    CAST(sum(c.n_may) AS BIGINT) AS n_may,
    c.other AS other_values
FROM chosen AS c
GROUP BY c.key, c.other
