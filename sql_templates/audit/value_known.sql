{#
relation = "value_known"
grain = "one row for the attribute"
key = []
inputs = ["source_rows", "sat", "tuples", "bucket_contents_{attribute}"]
params = ["attribute", "sampled"]
columns = ["people", "average", "worst", "certain"]
paper = "Lemma 1, for an adversary who knows one flagged value as well"
why = "Of a group's rows only those whose bucket holds the known value remain, each as likely as the value is in its bucket. Rids are random, so the first tuples are a fair sample."
#}
WITH people AS (
    SELECT cells.rid, cells.gid, truth.{{ col(attribute.name, "value") }} AS known
    FROM {{ rel("tuples") }} AS cells
    JOIN {{ rel("source_rows") }} AS truth ON truth.rowid + 1 = cells.rid
    WHERE cells.rid <= {{ sampled }} AND cells.{{ col(attribute.name, "bid") }} IS NOT NULL
),
likely AS (
    SELECT people.rid, cells.rid AS row_rid, listed.n / contents.tuples AS weight
    FROM people
    JOIN {{ rel("tuples") }} AS cells ON cells.gid = people.gid
    JOIN {{ rel("sat") }} AS listed
        ON listed.bid = cells.{{ col(attribute.name, "bid") }} AND listed.value IS NOT DISTINCT FROM people.known
    JOIN {{ rel("bucket_contents", attribute.name) }} AS contents ON contents.bid = listed.bid
),
found AS (
    SELECT rid, sum(weight) FILTER (WHERE row_rid = rid) / sum(weight) AS belief
    FROM likely
    GROUP BY rid
)
SELECT count(*) AS people, avg(belief) AS average, max(belief) AS worst, avg(CAST(belief > 0.999999 AS INTEGER)) AS certain
FROM found
