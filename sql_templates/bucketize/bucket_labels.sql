{#
relation = "bucket_labels_{attribute}"
grain = "one row per bucket of the attribute"
key = ["bucket"]
inputs = ["secret_keys"]
params = ["buckets"]
columns = ["bucket", "bid"]
why = "Published bucket ids in a secret order of their own, so that they tell nothing about how buckets were made."
#}
SELECT bucket, CAST(row_number() OVER (ORDER BY secret_key) AS UINTEGER) AS bid
FROM (
    SELECT * FROM (SELECT CAST(range AS INTEGER) AS bucket FROM range({{ buckets }})) AS buckets
    POSITIONAL JOIN {{ rel("secret_keys") }}
) AS keyed_buckets
