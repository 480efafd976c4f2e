{#
relation = "bucketed_rows_{attribute}"
grain = "one row per tuple whose value of the attribute is bucketed"
key = ["row_id"]
inputs = ["sensitive_rows_{attribute}", "sensitive_domain_{attribute}", "slots_{attribute}", "bucket_labels_{attribute}", "secret_keys"]
params = ["attribute"]
columns = ["row_id", "bid"]
paper = "Algorithm 2, line 9: divide_buckets; Definition 10: IDT(ID, BID)"
why = "Which of several equal values takes which slot is drawn by a secret key of this attribute's own."
#}
WITH drawn_rows AS (
    SELECT
        keyed_rows.row_id,
        sensitive_domain.code,
        row_number() OVER (PARTITION BY sensitive_domain.code ORDER BY keyed_rows.secret_key) - 1 AS occurrence
    FROM (
        SELECT * FROM {{ rel("sensitive_rows", attribute.name) }} POSITIONAL JOIN {{ rel("secret_keys") }}
    ) AS keyed_rows
    JOIN {{ rel("sensitive_domain", attribute.name) }} AS sensitive_domain
        ON sensitive_domain.value IS NOT DISTINCT FROM keyed_rows.value
)
SELECT drawn_rows.row_id, bucket_labels.bid
FROM drawn_rows
JOIN {{ rel("slots", attribute.name) }} AS slots
    ON slots.code = drawn_rows.code
    AND drawn_rows.occurrence >= slots.first_occurrence
    AND drawn_rows.occurrence < slots.first_occurrence + slots.length
JOIN {{ rel("bucket_labels", attribute.name) }} AS bucket_labels
    ON bucket_labels.bucket = slots.first_bucket + drawn_rows.occurrence - slots.first_occurrence
