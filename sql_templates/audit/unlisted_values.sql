{#
relation = "unlisted_values"
grain = "one row per bucket with a value outside the list that orders the attribute"
key = ["bid"]
inputs = ["sat"]
params = ["attribute"]
columns = ["bid"]
why = "A value that the policy's list does not name cannot come from an honest run."
#}
SELECT DISTINCT bid
FROM {{ rel("sat") }}
WHERE value NOT IN ({% for word in attribute.words %}{{ lit(word) }}{{ comma(loop.last) }}{% endfor %})
