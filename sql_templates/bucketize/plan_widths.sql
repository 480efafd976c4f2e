{#
relation = "plan_widths"
grain = "one row per candidate plan"
key = ["candidate"]
inputs = ["bucket_extents", "sensitive_domain_{attribute}"]
params = ["attribute"]
columns = ["candidate", "width"]
paper = "Section 3.1: the range of the values in each bucket is minimized"
why = "Which direction of a sweep gives the narrower buckets; the plans know codes only, the engine knows the values. A NULL is taken to stand at the largest value. Widths are divided by 2^32, more than the tuples there can be: exact, and no sum overflows."
#}
{% import "_macros/dialect.sql" as dialect %}
WITH positions AS (
    SELECT
        code,
{% if attribute.measured %}
        {{ dialect.position(col("value"), attribute) }} AS place,
        CAST(coalesce(place, max(place) OVER ()) - min(place) OVER () AS DOUBLE) AS position
{% else %}
        CAST(code AS DOUBLE) AS position
{% endif %}
    FROM {{ rel("sensitive_domain", attribute.name) }}
)
SELECT bucket_extents.candidate, sum(bucket_extents.tuples * ((highest.position - lowest.position) / 4294967296)) AS width
FROM {{ rel("bucket_extents") }} AS bucket_extents
JOIN positions AS lowest ON lowest.code = bucket_extents.low
JOIN positions AS highest ON highest.code = bucket_extents.high
GROUP BY bucket_extents.candidate
