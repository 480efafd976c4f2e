{#
relation = "distinct_share"
grain = "one row"
key = []
inputs = ["source_rows"]
params = ["attribute"]
columns = ["distinct_values", "tuples"]
why = "A column that is released as it is and nearly unique gets a warning."
#}
SELECT count(DISTINCT {{ col(attribute.name, "value") }}) AS distinct_values, count(*) AS tuples
FROM {{ rel("source_rows") }}
