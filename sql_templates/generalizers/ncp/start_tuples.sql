{#
relation = "start_tuples"
grain = "one row per open node"
key = ["node_id"]
inputs = ["open_nodes"]
params = []
columns = ["node_id", "place"]
paper = "Algorithm 4, line 13: find_seeds begins at a random tuple"
why = "The first tuple in random order is a random one."
#}
SELECT node_id, 1 AS place
FROM {{ rel("open_nodes") }}
