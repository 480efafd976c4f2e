{#
relation = "bucketed_nulls"
grain = "one row for the attribute"
key = []
inputs = ["sat_{attribute}"]
params = ["attribute"]
columns = ["nulls"]
why = "How many bucketed values are NULL: a tuple that satisfies a question may have one of them and add nothing to a sum."
#}
SELECT coalesce(sum(n) FILTER (WHERE value IS NULL), 0) AS nulls
FROM {{ rel("sat", attribute.name) }}
