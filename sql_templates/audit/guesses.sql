{#
relation = "guesses"
grain = "one row per sampled tuple and value of its bucket"
key = ["rid", "value"]
inputs = ["tuples", "sat", "bucket_contents_{attribute}", "value_kinds"]
params = ["attribute", "buckets"]
columns = ["rid", "gid", "bid", "value", "kind", "n", "chance"]
why = "Where learning begins: every value of the bucket as likely as it is frequent there."
#}
SELECT
    cells.rid,
    cells.gid,
    listed.bid,
    listed.value,
    value_kinds.kind,
    listed.n,
    listed.n / contents.tuples AS chance
FROM {{ rel("tuples") }} AS cells
JOIN {{ rel("sat") }} AS listed ON listed.bid = cells.{{ col(attribute.name, "bid") }}
JOIN {{ rel("bucket_contents", attribute.name) }} AS contents ON contents.bid = listed.bid
JOIN {{ rel("value_kinds") }} AS value_kinds ON value_kinds.value IS NOT DISTINCT FROM listed.value
WHERE listed.bid <= {{ buckets }}
