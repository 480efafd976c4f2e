{#
relation = "crosswalk_overlap"
grain = "one row for the crosswalk"
key = []
inputs = ["source_rows", "rows_in_secret_order", "given_crosswalk"]
params = []
columns = ["units", "known"]
why = "How many of the people about to be released an earlier release's crosswalk names with a rid, by their keys."
#}
SELECT count(*) AS units, count(links.row) AS known
FROM {{ rel("source_rows") }} AS truth
JOIN {{ rel("rows_in_secret_order") }} AS released ON released.row_id = truth.rowid
LEFT JOIN (
    SELECT CAST(row AS VARCHAR) AS row FROM {{ rel("given_crosswalk") }} WHERE rid IS NOT NULL
) AS links ON links.row = CAST(truth.row_key AS VARCHAR)
