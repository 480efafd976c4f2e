{#
relation = "bucket_contents_{attribute}"
grain = "one row per bucket"
key = ["bid"]
inputs = ["sat_{attribute}"]
params = ["attribute"]
columns = ["bid", "tuples", "most_frequent", "values", "least", "most"]
paper = "Definition 10: SAT(SA, BID)"
why = "What a bucket tells about the tuples in it, for the worst posterior and for whether bids follow contents."
#}
SELECT
    bid,
    CAST(sum(n) AS BIGINT) AS tuples,
    max(n) AS most_frequent,
    count(*) AS values,
    min(value) AS least,
    max(value) AS most
FROM {{ rel("sat", attribute.name) }}
GROUP BY bid
