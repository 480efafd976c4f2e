{#
relation = "bucket_contents_wrong"
grain = "one row per bucket that the released SAT and the source fill differently"
key = ["bid"]
inputs = ["linked_tuples", "sat", "source_rows"]
params = ["attribute"]
columns = ["bid", "counted", "said"]
paper = "Definition 10: IDT and SAT describe the same bucket"
why = "Against the source: each bucket holds exactly the values of the tuples that point to it. Compared by number and by the sum of the values' 64-bit hashes, which costs a third of comparing value by value. The cast undoes what a Parquet file makes of a type."
#}
SELECT coalesce(counts.bid, shown.bid) AS bid, counts.tuples AS counted, shown.tuples AS said
FROM (
    SELECT
        cells.{{ col(attribute.name, "bid") }} AS bid,
        count(*) AS tuples,
        sum(CAST(hash(truth.{{ col(attribute.name, "value") }}) AS HUGEINT)) AS fingerprint
    FROM {{ rel("source_rows") }} AS truth
    POSITIONAL JOIN {{ rel("linked_tuples") }} AS cells
    WHERE cells.{{ col(attribute.name, "bid") }} IS NOT NULL{% if attribute.flag is not none %} AND truth.{{ col(attribute.name, "flagged") }}{% endif %}

    GROUP BY cells.{{ col(attribute.name, "bid") }}
) AS counts
FULL JOIN (
    SELECT bid, sum(n) AS tuples, sum(n * CAST(hash(CAST(value AS {{ attribute.type }})) AS HUGEINT)) AS fingerprint
    FROM {{ rel("sat") }}
    GROUP BY bid
) AS shown ON shown.bid = counts.bid
WHERE counts.tuples IS DISTINCT FROM shown.tuples OR counts.fingerprint IS DISTINCT FROM shown.fingerprint
