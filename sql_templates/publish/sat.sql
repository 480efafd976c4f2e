{#
relation = "sat_{attribute}"
grain = "one row per bucket and value, ordered by bid and value"
key = ["bid", "value"]
inputs = ["bucket_slots_{attribute}", "sensitive_domain_{attribute}"]
params = ["attribute", "values_may_repeat"]
columns = ["bid", "value", "n"]
paper = "Definition 10: SAT(SA, BID)"
why = "A function of the histogram alone: made from the plan, never from rows."
#}
SELECT CAST(bucket_values.bid AS BIGINT) AS bid, sensitive_domain.value, bucket_values.n
FROM (
{% if values_may_repeat %}
    SELECT bid, code, count(*) AS n
    FROM {{ rel("bucket_slots", attribute.name) }}
    GROUP BY bid, code
{% else %}
    SELECT bid, code, CAST(1 AS BIGINT) AS n
    FROM {{ rel("bucket_slots", attribute.name) }}
{% endif %}
) AS bucket_values
JOIN {{ rel("sensitive_domain", attribute.name) }} AS sensitive_domain ON sensitive_domain.code = bucket_values.code
ORDER BY bucket_values.bid, {% if attribute.words %}sensitive_domain.value NULLS LAST{% else %}bucket_values.code{% endif %}

