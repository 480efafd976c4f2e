{#
relation = "histogram"
grain = "one row per distinct bucketed value"
key = ["code"]
inputs = ["sensitive_domain_{attribute}"]
params = ["attribute"]
columns = ["code", "tuples"]
paper = "Algorithm 2, line 1: value_number, without the values"
why = "What planning sees: codes and counts."
#}
SELECT code, tuples
FROM {{ rel("sensitive_domain", attribute.name) }}
ORDER BY code
