{#
relation = "outside_domain"
grain = "one row: how many rows hold a value outside the domain that the policy declares"
key = []
inputs = ["source_rows", "declared_values_{attribute}"]
params = ["attribute"]
columns = ["tuples"]
why = "Answers trust a declared domain where a cell is withheld, so every value must lie in it, flagged or not. Counted, never shown; a NULL is always possible."
#}
{% from "_macros/places.sql" import place %}
SELECT count(*) AS tuples
FROM {{ rel("source_rows") }}
{% if attribute.declares_ends %}
CROSS JOIN (
    SELECT min({{ place(attribute, col("value")) }}) AS lowest, max({{ place(attribute, col("value")) }}) AS highest
    FROM {{ rel("declared_values", attribute.name) }}
) AS ends
WHERE {{ place(attribute, col(attribute.name, "value")) }} NOT BETWEEN lowest AND highest
{% else %}
WHERE {{ col(attribute.name, "value") }} NOT IN (SELECT value FROM {{ rel("declared_values", attribute.name) }})
{% endif %}
