{#
relation = "drawn_rows_{attribute}"
grain = "one row per tuple whose value of the attribute is bucketed, stored by value and secret key"
key = ["row_id"]
inputs = ["sensitive_rows_{attribute}", "sensitive_domain_{attribute}", "secret_keys"]
params = ["attribute"]
columns = ["row_id"]
paper = "Algorithm 2, line 9: divide_buckets"
why = "Which of several equal values takes which place is drawn by a secret key of this attribute's own."
#}
SELECT keyed_rows.row_id
FROM (SELECT * FROM {{ rel("sensitive_rows", attribute.name) }} POSITIONAL JOIN {{ rel("secret_keys") }}) AS keyed_rows
JOIN {{ rel("sensitive_domain", attribute.name) }} AS sensitive_domain
    ON sensitive_domain.value IS NOT DISTINCT FROM keyed_rows.value
ORDER BY sensitive_domain.code, keyed_rows.secret_key
