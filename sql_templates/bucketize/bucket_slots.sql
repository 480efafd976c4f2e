{#
relation = "bucket_slots_{attribute}"
grain = "one row per place in a bucket, stored by code and occurrence"
key = ["rowid"]
inputs = ["slots_{attribute}", "bucket_labels_{attribute}"]
params = ["attribute"]
columns = ["code", "bid"]
paper = "Algorithm 2, line 9: divide_buckets"
why = "The plan written out: the first place of a value is for its first occurrence, and so on. Labels stand in lists of a block of buckets each, of which a slot takes its part; so only pieces of slots are joined and sorted, not places. One list of all labels is copied for every vector of places: quadratic, minutes from thirty million places up."
#}
{% set block = 2048 %}
SELECT code, unnest(bids) AS bid
FROM (
    SELECT
        pieces.code,
        labels.bids[greatest(first_bucket - block * {{ block }}, 0) + 1 : least(first_bucket + length - block * {{ block }}, {{ block }})] AS bids
    FROM (
        SELECT *, unnest(range(first_bucket // {{ block }}, (first_bucket + length - 1) // {{ block }} + 1)) AS block
        FROM {{ rel("slots", attribute.name) }}
    ) AS pieces
    JOIN (
        SELECT bucket // {{ block }} AS block, list(bid ORDER BY bucket) AS bids
        FROM {{ rel("bucket_labels", attribute.name) }}
        GROUP BY ALL
    ) AS labels USING (block)
    ORDER BY pieces.code, pieces.first_occurrence, block
) AS labelled_pieces
