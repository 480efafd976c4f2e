{#
relation = "ids_out_of_order"
grain = "one row per id that does not follow the one stored before it"
key = ["id"]
inputs = ["checked"]
params = ["id"]
columns = ["id"]
why = "Ids are dense from 1 and stored in their own order, so that storage order tells nothing else."
#}
SELECT id
FROM (SELECT {{ col(id) }} AS id, lag({{ col(id) }}, 1, 0) OVER () AS before FROM {{ rel("checked") }}) AS scanned
WHERE id IS NULL OR id <> before + 1
