{#
relation = "extreme_estimates"
grain = "one row per question"
key = ["question"]
inputs = ["valued_units"]
params = []
columns = ["question", "min_estimate", "max_estimate"]
why = "The value at which, counted from below (above), half a tuple is estimated to satisfy the question: as likely as not the least (greatest) is no farther out."
#}
SELECT
    question,
    min(value) FILTER (WHERE from_below >= 0.5) AS min_estimate,
    max(value) FILTER (WHERE from_above >= 0.5) AS max_estimate
FROM (
    SELECT
        question, value,
        sum(chance) OVER (PARTITION BY question ORDER BY value) AS from_below,
        sum(chance) OVER (PARTITION BY question ORDER BY value DESC) AS from_above
    FROM (
        SELECT question, unnest(entries) AS value, estimated / len(entries) AS chance
        FROM {{ rel("valued_units") }} WHERE entries IS NOT NULL
        UNION ALL
        SELECT question, least, estimated / 2 FROM {{ rel("valued_units") }} WHERE entries IS NULL AND least IS NOT NULL
        UNION ALL
        SELECT question, most, estimated / 2 FROM {{ rel("valued_units") }} WHERE entries IS NULL AND most IS NOT NULL
    ) AS chances
) AS running
GROUP BY question
