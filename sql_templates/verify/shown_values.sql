{#
relation = "shown_values_{attribute}"
grain = "one row per value of an unordered attribute that some group shows"
key = ["value"]
inputs = ["groups"]
params = ["attribute"]
columns = ["value"]
why = "The verifier's own dictionary, read from the release: where it is small, sets are compared as bits."
#}
SELECT DISTINCT value
FROM (SELECT unnest({{ col(attribute.name, "set") }}) AS value FROM {{ rel("groups") }}) AS members
WHERE value IS NOT NULL
