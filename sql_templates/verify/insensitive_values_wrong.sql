{#
relation = "insensitive_values_wrong"
grain = "one row per tuple whose insensitive value is not the source's"
key = ["rid"]
inputs = ["tuples", "row_links", "source_rows"]
params = ["attribute"]
columns = ["rid"]
why = "Against the source: what is released as it is, is as it was."
#}
SELECT cells.rid
FROM {{ rel("tuples") }} AS cells
JOIN {{ rel("row_links") }} AS links ON links.rid = cells.rid
JOIN {{ rel("source_rows") }} AS truth ON truth.rowid = links.row_id
WHERE cells.{{ col(attribute.name) }} IS DISTINCT FROM truth.{{ col(attribute.name, "value") }}
