{#
relation = "tree_nodes"
grain = "one row per open node"
key = ["node_id"]
inputs = ["open_nodes"]
params = []
columns = ["node_id", "root_id", "place"]
why = "The roots, far apart in the order of places: a tree has fewer than 2^32 tuples."
#}
SELECT node_id, root_id, CAST(root_id AS BIGINT) << 32 AS place
FROM {{ rel("open_nodes") }}
