{#
relation = "sat_{attribute}"
grain = "one row per bucket and value, ordered by bid and value"
key = ["bid", "value"]
inputs = ["slots_{attribute}", "bucket_labels_{attribute}", "sensitive_domain_{attribute}"]
params = ["attribute", "values_may_repeat"]
columns = ["bid", "value", "n"]
paper = "Definition 10: SAT(SA, BID)"
why = "A function of the histogram alone: made from the plan, never from rows."
#}
WITH bucket_codes AS (
    SELECT code, first_bucket + unnest(range(length)) AS bucket
    FROM {{ rel("slots", attribute.name) }}
)
{% if values_may_repeat %}
, bucket_values AS (
    SELECT bucket, code, count(*) AS n
    FROM bucket_codes
    GROUP BY bucket, code
)
{% else %}
, bucket_values AS (
    SELECT bucket, code, CAST(1 AS BIGINT) AS n
    FROM bucket_codes
)
{% endif %}
SELECT bucket_labels.bid, sensitive_domain.value, bucket_values.n
FROM bucket_values
JOIN {{ rel("bucket_labels", attribute.name) }} AS bucket_labels ON bucket_labels.bucket = bucket_values.bucket
JOIN {{ rel("sensitive_domain", attribute.name) }} AS sensitive_domain ON sensitive_domain.code = bucket_values.code
ORDER BY bucket_labels.bid, {% if attribute.words %}sensitive_domain.value NULLS LAST{% else %}bucket_values.code{% endif %}
