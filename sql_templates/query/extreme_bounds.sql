{#
relation = "extreme_bounds"
grain = "one row per question"
key = ["question"]
inputs = ["valued_units"]
params = []
columns = ["question", "min_lower", "min_upper", "min_lower_expected", "min_upper_expected", "max_lower", "max_upper", "max_lower_expected", "max_upper_expected"]
why = "The least value lies between the smallest that may be taken and, over units from which n values are surely taken, the least n-th greatest; where nothing is sure, the greatest that may be taken. Mirrored for the greatest. NULL where a withheld value is unbounded."
#}
SELECT
    question,
    CASE WHEN bounded THEN smallest END AS min_lower,
    coalesce(surely_below, CASE WHEN bounded THEN greatest END) AS min_upper,
    CASE WHEN bounded THEN smallest_expected END AS min_lower_expected,
    coalesce(expected_below, CASE WHEN bounded THEN greatest_expected END) AS min_upper_expected,
    coalesce(surely_above, CASE WHEN bounded THEN smallest END) AS max_lower,
    CASE WHEN bounded THEN greatest END AS max_upper,
    coalesce(expected_above, CASE WHEN bounded THEN smallest_expected END) AS max_lower_expected,
    CASE WHEN bounded THEN greatest_expected END AS max_upper_expected
FROM (
    SELECT
        question,
        count_if(first IS NULL) = 0 AS bounded,
        min(first) AS smallest,
        max(last) AS greatest,
        min(coalesce(entries[len(entries) - taken + 1], most)) FILTER (WHERE taken > 0) AS surely_below,
        max(coalesce(entries[taken], least)) FILTER (WHERE taken > 0) AS surely_above,
        min(first) FILTER (WHERE expected > 0) AS smallest_expected,
        max(last) FILTER (WHERE expected > 0) AS greatest_expected,
        min(coalesce(entries[len(entries) - least_count + 1], most)) FILTER (WHERE least_count > 0) AS expected_below,
        max(coalesce(entries[least_count], least)) FILTER (WHERE least_count > 0) AS expected_above
    FROM (
        SELECT *, coalesce(entries[1], least) AS first, coalesce(entries[len(entries)], most) AS last,
            least(CAST(floor(expected) AS BIGINT), takeable) AS least_count
        FROM {{ rel("valued_units") }}
        WHERE takeable > 0
    ) AS units
    GROUP BY question
) AS found
