{#
relation = "help_{attribute}"
grain = "one row per bucket of a numeric attribute, ordered by bid"
key = ["bid"]
inputs = ["sat"]
params = ["sums"]
columns = ["bid", "size", "entries", "low_sums", "high_sums"]
why = "The same table for large buckets: sums run over the rows of a bucket upwards and downwards, so that a bucket costs what sorting it costs."
#}
WITH bucket_values AS (
    SELECT bid, n, value, CAST(value AS {{ sums }}) AS number, unnest(range(n)) AS occurrence
    FROM {{ rel("sat") }}
    WHERE value IS NOT NULL
),
running AS (
    SELECT
        bid,
        value,
        row_number() OVER up AS place,
        sum(number) OVER up AS low_sum,
        sum(number) OVER down AS high_sum
    FROM bucket_values
    WINDOW
        up AS (PARTITION BY bid ORDER BY value, occurrence ROWS UNBOUNDED PRECEDING),
        down AS (PARTITION BY bid ORDER BY value DESC, occurrence DESC ROWS UNBOUNDED PRECEDING)
)
SELECT
    bid,
    buckets.size,
    coalesce(lists.entries, []) AS entries,
    list_concat([CAST(0 AS {{ sums }})], lists.low_sums) AS low_sums,
    list_concat([CAST(0 AS {{ sums }})], lists.high_sums) AS high_sums
FROM (SELECT bid, CAST(sum(n) AS BIGINT) AS size FROM {{ rel("sat") }} GROUP BY bid) AS buckets
LEFT JOIN (
    SELECT
        bid,
        list(value ORDER BY place) AS entries,
        list(CAST(low_sum AS {{ sums }}) ORDER BY place) AS low_sums,
        list(CAST(high_sum AS {{ sums }}) ORDER BY place DESC) AS high_sums
    FROM running
    GROUP BY bid
) AS lists USING (bid)
ORDER BY bid
