{#
relation = "learned"
grain = "one row for the attribute"
key = []
inputs = ["guesses", "source_rows"]
params = ["attribute"]
columns = ["people", "accuracy", "by_chance"]
why = "How often the likeliest value is the true one, against the best guess without learning; equal chances are decided by a hash."
#}
WITH best AS (
    SELECT rid, arg_max(value, (chance, hash(rid, value))) AS value, max(n) / sum(n) AS by_chance
    FROM {{ rel("guesses") }}
    GROUP BY rid
)
SELECT
    count(*) AS people,
    avg(CAST(best.value IS NOT DISTINCT FROM truth.{{ col(attribute.name, "value") }} AS INTEGER)) AS accuracy,
    avg(by_chance) AS by_chance
FROM best
JOIN {{ rel("source_rows") }} AS truth ON truth.rowid + 1 = best.rid
