{#
relation = "bucket_contents_wrong"
grain = "one row per bucket and value that the released SAT and the source count differently"
key = ["bid"]
inputs = ["tuples", "sat", "source_rows", "row_links"]
params = ["attribute"]
columns = ["bid", "counted", "said"]
paper = "Definition 10: IDT and SAT describe the same bucket"
why = "Against the source: each bucket holds exactly the values of the tuples that point to it."
#}
SELECT coalesce(counts.bid, shown.bid) AS bid, counts.tuples AS counted, shown.n AS said
FROM (
    SELECT cells.{{ col(attribute.name, "bid") }} AS bid, truth.{{ col(attribute.name, "value") }} AS value, count(*) AS tuples
    FROM {{ rel("source_rows") }} AS truth
    JOIN {{ rel("row_links") }} AS links ON links.row_id = truth.rowid
    JOIN {{ rel("tuples") }} AS cells ON cells.rid = links.rid
    WHERE cells.{{ col(attribute.name, "bid") }} IS NOT NULL
    GROUP BY ALL
) AS counts
FULL JOIN {{ rel("sat") }} AS shown
    ON shown.bid = counts.bid AND shown.value IS NOT DISTINCT FROM counts.value
WHERE counts.tuples IS NULL OR shown.n IS NULL OR counts.tuples <> shown.n
