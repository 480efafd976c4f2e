{#
relation = "row_links"
grain = "one row per released tuple"
key = ["rid"]
inputs = ["source_rows"]
params = []
columns = ["rid", "row_id"]
why = "Which source row a rid stands for; source_rows is stored by rid."
#}
SELECT rowid + 1 AS rid, rowid AS row_id
FROM {{ rel("source_rows") }}
