{#
relation = "row_links"
grain = "one row per released tuple"
key = ["rid"]
inputs = ["rows_in_secret_order"]
params = []
columns = ["rid", "row_id"]
why = "Which source row a rid stands for: the publisher's knowledge, needed to hold a release against its source."
#}
SELECT rowid + 1 AS rid, row_id
FROM {{ rel("rows_in_secret_order") }}
