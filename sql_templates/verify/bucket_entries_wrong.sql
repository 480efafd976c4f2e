{#
relation = "bucket_entries_wrong"
grain = "one row per bucket whose entries in the help table are not the values of its SAT in ascending order"
key = ["bid"]
inputs = ["helper", "sat"]
params = []
columns = ["bid"]
why = "Every value stands as often as it occurs; NULLs are not listed."
#}
SELECT bid
FROM {{ rel("helper") }} AS helper
LEFT JOIN (
    SELECT bid, list(value ORDER BY value) AS entries
    FROM (SELECT bid, value, unnest(range(n)) FROM {{ rel("sat") }} WHERE value IS NOT NULL) AS repeated
    GROUP BY bid
) AS buckets USING (bid)
WHERE helper.entries IS DISTINCT FROM coalesce(buckets.entries, [])
