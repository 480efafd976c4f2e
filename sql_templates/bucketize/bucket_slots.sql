{#
relation = "bucket_slots_{attribute}"
grain = "one row per place in a bucket, stored by code and occurrence"
key = ["rowid"]
inputs = ["slots_{attribute}", "bucket_labels_{attribute}"]
params = ["attribute"]
columns = ["code", "bid"]
paper = "Algorithm 2, line 9: divide_buckets"
why = "The plan written out: the first place of a value is for its first occurrence, and so on."
#}
SELECT places.code, bucket_labels.bid
FROM (
    SELECT
        code,
        first_occurrence + unnest(range(length)) AS occurrence,
        first_bucket + unnest(range(length)) AS bucket
    FROM {{ rel("slots", attribute.name) }}
) AS places
JOIN {{ rel("bucket_labels", attribute.name) }} AS bucket_labels ON bucket_labels.bucket = places.bucket
ORDER BY places.code, places.occurrence
