{#
relation = "crosswalk"
grain = "one row per source row"
key = ["row"]
inputs = ["rows_in_secret_order", "source_rows"]
params = ["row_key"]
columns = ["row", "rid"]
why = "The publisher's private link from source rows to rids; suppressed rows have none. Never part of a release."
#}
SELECT
{% if row_key %}
    source_rows.row_key AS row,
{% else %}
    CAST(source_rows.rowid AS BIGINT) AS row,
{% endif %}
    CAST(released.rowid + 1 AS BIGINT) AS rid
FROM {{ rel("source_rows") }} AS source_rows
LEFT JOIN {{ rel("rows_in_secret_order") }} AS released ON released.row_id = source_rows.rowid
ORDER BY row
