{#
relation = "borrowed_rows"
grain = "one row per tuple that joins the last small cluster to bring it to k"
key = ["row_id"]
inputs = ["quasi_rows", "pattern_plan", "secret_keys"]
params = ["words", "donor", "borrower", "rows"]
columns = ["row_id", "root_id"]
why = "Chosen by flags and quasi-identifier values; a secret key decides between rows that are equal in both."
#}
SELECT keyed_rows.row_id, CAST({{ borrower }} AS INTEGER) AS root_id
FROM (SELECT * FROM {{ rel("quasi_rows") }} POSITIONAL JOIN {{ rel("secret_keys") }}) AS keyed_rows
JOIN {{ rel("pattern_plan") }} AS pattern_plan ON pattern_plan.pattern = keyed_rows.pattern
WHERE pattern_plan.root_id = {{ donor }}
ORDER BY
{% for word in words %}
    {{ col("codes", word) }},
{% endfor %}
    secret_key
LIMIT {{ rows }}
