{#
relation = "expected_counts"
grain = "one row per question"
key = ["question"]
inputs = ["expected_units"]
params = []
columns = ["question", "n_may"]
why = "At most how many values a mean of expected tuples takes: each unit's number rounded up."
#}
SELECT question, sum(takeable) AS n_may
FROM {{ rel("expected_units") }}
GROUP BY question
