{#
relation = "value_kinds"
grain = "one row per bucketed value"
key = ["value"]
inputs = ["sat"]
params = ["attribute"]
columns = ["value", "kind"]
why = "Values that are learned about together: each by itself, or of an ordered attribute in 32 neighbourhoods."
#}
SELECT value, {% if attribute.ordered %}ntile(32) OVER (ORDER BY value){% else %}row_number() OVER (ORDER BY value){% endif %} AS kind
FROM (SELECT DISTINCT value FROM {{ rel("sat") }}) AS distinct_values
