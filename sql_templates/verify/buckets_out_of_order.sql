{#
relation = "buckets_out_of_order"
grain = "one row per stored SAT row that does not follow the one before it"
key = ["bid"]
inputs = ["checked"]
params = []
columns = ["bid"]
why = "Bids are dense from 1; within a bucket values ascend strictly, NULL last, so none stands twice."
#}
SELECT bid
FROM (
    SELECT
        bid,
        value,
        n,
        lag(bid, 1, 0) OVER () AS bid_before,
        lag(value) OVER () AS value_before
    FROM {{ rel("checked") }}
) AS scanned
WHERE bid IS NULL OR n IS NULL OR n < 1
    OR NOT (
        bid = bid_before + 1
        OR (bid = bid_before AND value_before IS NOT NULL AND (value IS NULL OR value > value_before))
    )
