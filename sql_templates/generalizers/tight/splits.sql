{#
relation = "splits"
grain = "one row per node that splits"
key = ["node_id"]
inputs = ["cut_costs"]
params = []
columns = ["node_id", "ordering", "left_tuples", "left_id"]
why = "The cheapest cut of every node; of equally cheap ones the first order's, then the smallest left side. Children are numbered left_id and left_id + 1."
#}
SELECT
    node_id,
    ordering,
    left_tuples,
    CAST(2 * row_number() OVER (ORDER BY node_id) - 1 AS INTEGER) AS left_id
FROM (
    SELECT *, row_number() OVER (PARTITION BY node_id ORDER BY penalty, ordering, left_tuples) AS place
    FROM {{ rel("cut_costs") }}
    WHERE penalty IS NOT NULL
) AS ranked
WHERE place = 1
