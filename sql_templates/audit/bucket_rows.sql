{#
relation = "bucket_rows_{attribute}"
grain = "one row per bucket that tuples point to"
key = ["bid"]
inputs = ["tuples"]
params = ["attribute", "bucketed"]
columns = ["bid", "tuples", "gid_mean", "{bucketed}_mean"]
paper = "Definition 10: IDT(ID, BID)"
why = "How many tuples point to a bucket, and where they stand by their other labels: a bid drawn at random follows none of them."
#}
SELECT
    {{ col(attribute.name, "bid") }} AS bid,
    count(*) AS tuples,
    avg(gid) AS gid_mean
{% for other in bucketed %}
    , avg({{ col(other.name, "bid") }}) AS {{ col(other.name, "mean") }}
{% endfor %}
FROM {{ rel("tuples") }}
WHERE {{ col(attribute.name, "bid") }} IS NOT NULL
GROUP BY {{ col(attribute.name, "bid") }}
