{#
relation = "bucket_entries_wrong"
grain = "one row per bucket whose entries in the help table are not the values of its SAT in ascending order"
key = ["bid"]
inputs = ["helper", "sat"]
params = ["repeated"]
columns = ["bid"]
why = "Every value stands as often as it occurs; NULLs are not listed. Where no value repeats, both tables hold the same values in the same order, which is checked before, and stand side by side: a tenth of the cost of grouping."
#}
{% if repeated %}
SELECT bid
FROM {{ rel("helper") }} AS helper
LEFT JOIN (
    SELECT bid, list(value ORDER BY value) AS entries
    FROM (SELECT bid, value, unnest(range(n)) FROM {{ rel("sat") }} WHERE value IS NOT NULL) AS repeated
    GROUP BY bid
) AS buckets USING (bid)
WHERE helper.entries IS DISTINCT FROM coalesce(buckets.entries, [])
{% else %}
SELECT DISTINCT coalesce(buckets.bid, listed.bid) AS bid
FROM (SELECT bid, value FROM {{ rel("sat") }} WHERE value IS NOT NULL) AS buckets
POSITIONAL JOIN (SELECT bid, unnest(entries) AS value FROM {{ rel("helper") }}) AS listed
WHERE listed.bid IS DISTINCT FROM buckets.bid OR listed.value IS DISTINCT FROM buckets.value
{% endif %}
