{#
relation = "bucket_slots_{attribute}"
grain = "one row per place in a bucket, stored by code and occurrence"
key = ["rowid"]
inputs = ["slots_{attribute}", "bucket_labels_{attribute}"]
params = ["attribute"]
columns = ["code", "bid"]
paper = "Algorithm 2, line 9: divide_buckets"
why = "The plan written out: the first place of a value is for its first occurrence, and so on. Labels are looked up in one list, which keeps the order; a join and a sort took three times as long."
#}
SELECT places.code, labels.bids[places.bucket + 1] AS bid
FROM (
    SELECT code, first_bucket + unnest(range(length)) AS bucket
    FROM (SELECT * FROM {{ rel("slots", attribute.name) }} ORDER BY code, first_occurrence) AS slots
) AS places
CROSS JOIN (SELECT list(bid ORDER BY bucket) AS bids FROM {{ rel("bucket_labels", attribute.name) }}) AS labels
