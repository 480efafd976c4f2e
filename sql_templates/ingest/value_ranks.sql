{#
relation = "value_ranks"
grain = "one row per text that the policy gives as a value, in the policy's order"
key = []
inputs = ["value_texts"]
params = ["type"]
columns = ["rank"]
why = "Texts as values of an attribute's type: one that is no such value has no rank, two of the same value have the same, a lower value has a lower rank."
#}
SELECT CASE WHEN value IS NOT NULL THEN dense_rank() OVER (ORDER BY value) END AS rank
FROM (SELECT place, TRY_CAST(text AS {{ type }}) AS value FROM {{ rel("value_texts") }}) AS cast_texts
ORDER BY place
