{#
relation = "bucket_sizes_wrong"
grain = "one row per bucket whose tuples and values differ in number"
key = ["bid"]
inputs = ["bucket_rows_{attribute}", "bucket_contents_{attribute}"]
params = ["attribute"]
columns = ["bid", "pointing", "listed"]
paper = "Definition 10: IDT and SAT describe the same bucket"
why = "Seen in the files alone: a bucket lists one value for each tuple that points to it."
#}
SELECT coalesce(pointing.bid, listed.bid) AS bid, pointing.tuples AS pointing, listed.tuples AS listed
FROM {{ rel("bucket_rows", attribute.name) }} AS pointing
FULL JOIN {{ rel("bucket_contents", attribute.name) }} AS listed ON listed.bid = pointing.bid
WHERE pointing.tuples IS DISTINCT FROM listed.tuples
