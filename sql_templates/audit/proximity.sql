{#
relation = "proximity"
grain = "one row for the attribute"
key = []
inputs = ["sat_{attribute}"]
params = ["attribute", "buckets", "percent"]
columns = ["average", "worst"]
why = "How much of a bucket lies within so many percent of one of its values: what a rough guess is worth. Bids are random, so the first buckets are a fair sample."
#}
WITH sampled AS (
    SELECT bid, CAST(value AS DOUBLE) AS value, n
    FROM {{ rel("sat", attribute.name) }}
    WHERE bid <= {{ buckets }}
),
near AS (
    SELECT
        one.bid,
        one.value,
        any_value(one.n) AS n,
        sum(other.n) FILTER (WHERE abs(other.value - one.value) * 100 <= {{ percent }} * abs(one.value)
            OR other.value IS NOT DISTINCT FROM one.value) / sum(other.n) AS share
    FROM sampled AS one
    JOIN sampled AS other ON other.bid = one.bid
    GROUP BY one.bid, one.value
)
SELECT sum(n * share) / sum(n) AS average, max(share) AS worst
FROM near
