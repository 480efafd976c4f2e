{#
relation = "bucket_widths"
grain = "one row for the attribute's buckets"
key = []
inputs = ["bucket_slots_{attribute}", "sensitive_domain_{attribute}"]
params = ["attribute", "values_may_repeat"]
columns = ["width"]
paper = "Section 3.1: the range of the values in each bucket"
why = "The mean width of the bucket that a tuple is in, from 0 to 1. Ordered: range of the bucket / range of all bucketed values, NULLs left out; unordered: distinct values / all distinct bucketed values. Each bucket's share is taken before the sum, which the widest doubles would overflow."
#}
{% import "_macros/dialect.sql" as dialect %}
WITH positions AS (
    SELECT
        code,
{% if attribute.measured %}
        {{ dialect.position(col("value"), attribute) }} AS place,
        CAST(place - min(place) OVER () AS DOUBLE) AS position
{% else %}
        CASE WHEN value IS NOT NULL THEN CAST(code AS DOUBLE) END AS position
{% endif %}
    FROM {{ rel("sensitive_domain", attribute.name) }}
),
buckets AS (
    SELECT
        count(*) AS tuples,
{% if attribute.ordered %}
        max(positions.position) - min(positions.position) AS width
{% elif values_may_repeat %}
        count(DISTINCT slots.code) AS width
{% else %}
        count(*) AS width
{% endif %}
    FROM {{ rel("bucket_slots", attribute.name) }} AS slots
    JOIN positions ON positions.code = slots.code
    GROUP BY slots.bid
)
SELECT
    coalesce(sum(buckets.tuples * coalesce(buckets.width / nullif(domains.width, 0), 0)) / sum(buckets.tuples), 0) AS width
FROM buckets
CROSS JOIN (
{% if attribute.ordered %}
    SELECT max(position) - min(position) AS width FROM positions
{% else %}
    SELECT count(*) AS width FROM positions
{% endif %}
) AS domains
