{#
relation = "source_rows"
grain = "one row per released tuple, in the order of rid: its rowid + 1 is the rid"
key = ["rowid"]
inputs = ["audited_source", "given_crosswalk"]
params = ["columns", "row_key"]
columns = ["{column}"]
why = "The truth beside the release: each released tuple's own source row, found through the crosswalk."
#}
SELECT
{% for column in columns %}
    known.{{ col(column.target) }}{{ comma(loop.last) }}
{% endfor %}
FROM {{ rel("audited_source") }} AS known
JOIN {{ rel("given_crosswalk") }} AS links ON {% if row_key %}known.row_key{% else %}known.rowid{% endif %} = links.row
WHERE links.rid IS NOT NULL
ORDER BY links.rid
