{#
relation = "bucketed_rows_{attribute}"
grain = "one row per tuple whose value of the attribute is bucketed"
key = ["row_id"]
inputs = ["drawn_rows_{attribute}", "bucket_slots_{attribute}"]
params = ["attribute"]
columns = ["row_id", "bid"]
paper = "Definition 10: IDT(ID, BID)"
why = "Both tables are stored by value, so the n-th drawn row takes the n-th place: no window, no join on keys."
#}
SELECT row_id, bid
FROM {{ rel("drawn_rows", attribute.name) }}
POSITIONAL JOIN {{ rel("bucket_slots", attribute.name) }}
