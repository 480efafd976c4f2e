{#
relation = "bucket_sums_wrong"
grain = "one row per bucket with an entry or a sum in the help table that the SAT does not bear out"
key = ["bid"]
inputs = ["helper", "sat"]
params = ["sums", "exact"]
columns = ["bid"]
why = "Entries and sums recomputed row by row from the SAT: upwards for the least values, downwards for the greatest. Sums of floats may differ in their last digits; a sum that a wide decimal cannot hold is NULL."
#}
WITH bucket_values AS (
    SELECT bid, CAST(value AS {% if exact %}{{ sums }}{% else %}DOUBLE{% endif %}) AS number, value
    FROM (SELECT bid, value, unnest(range(n)) FROM {{ rel("sat") }} WHERE value IS NOT NULL) AS repeated
),
expected AS (
    SELECT bid, TRUE AS upwards, value, row_number() OVER up AS place, sum(number) OVER up AS total, sum(abs(number)) OVER up AS size
    FROM bucket_values
    WINDOW up AS (PARTITION BY bid ORDER BY value ROWS UNBOUNDED PRECEDING)
    UNION ALL
    SELECT bid, FALSE, value, row_number() OVER down, sum(number) OVER down, sum(abs(number)) OVER down
    FROM bucket_values
    WINDOW down AS (PARTITION BY bid ORDER BY value DESC ROWS UNBOUNDED PRECEDING)
),
given AS (
    SELECT bid, TRUE AS upwards, unnest(entries) AS value, unnest(low_sums[2:]) AS total, unnest(range(1, len(entries) + 1)) AS place
    FROM {{ rel("helper") }}
    UNION ALL
    SELECT bid, FALSE, unnest(list_reverse(entries)), unnest(high_sums[2:]), unnest(range(1, len(entries) + 1))
    FROM {{ rel("helper") }}
)
SELECT DISTINCT bid
FROM expected
FULL JOIN given USING (bid, upwards, place)
WHERE given.value IS DISTINCT FROM expected.value
{% if exact %}
    OR given.total IS DISTINCT FROM expected.total
{% else %}
    OR (given.total IS DISTINCT FROM expected.total
        AND coalesce(abs(given.total - expected.total) > expected.size / 1000000000, given.value IS NULL))
{% endif %}
