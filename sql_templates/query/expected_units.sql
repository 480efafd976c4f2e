{#
relation = "expected_units"
grain = "one row per question and unit of the target"
key = []
inputs = ["valued_units"]
params = []
columns = ["question", "entries", "least", "most", "taken", "takeable"]
paper = "Section 4.3: round down and round up the sum of probabilities"
why = "The paper's numbers of tuples in the place of the certain ones: a mean of so many values at least and at most."
#}
SELECT
    question, entries, least, most,
    least(CAST(floor(expected) AS BIGINT), takeable) AS taken,
    least(CAST(ceil(expected) AS BIGINT), takeable) AS takeable
FROM {{ rel("valued_units") }}
WHERE takeable > 0 AND expected > 0
