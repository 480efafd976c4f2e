{#
relation = "declared_values_{attribute}"
grain = "one row per value of the domain that the policy declares"
key = ["value"]
inputs = ["domain_texts_{attribute}"]
params = ["attribute"]
columns = ["value"]
why = "The policy's domain as values of the attribute's type: public, and never computed from data."
#}
SELECT CAST(text AS {{ attribute.type }}) AS value
FROM {{ rel("domain_texts", attribute.name) }}
