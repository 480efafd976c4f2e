{#
relation = "repeated_units"
grain = "one row per unit with several rows"
key = []
inputs = ["audited_source"]
params = []
columns = ["tuples"]
why = "k rows of one person are no group: the policy asserts one row per unit. The unit itself is not shown."
#}
SELECT count(*) AS tuples
FROM {{ rel("audited_source") }}
GROUP BY unit_key
HAVING count(*) > 1
