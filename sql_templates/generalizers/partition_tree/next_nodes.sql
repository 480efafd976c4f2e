{#
relation = "open_nodes"
grain = "one row per child node"
key = ["node_id"]
inputs = ["splits", "open_nodes"]
params = []
columns = ["node_id", "root_id"]
paper = "Algorithm 3, lines 16 and 17"
why = "The open nodes of the next level, each with the pattern cluster it belongs to."
#}
SELECT splits.left_id + side AS node_id, open_nodes.root_id
FROM {{ rel("splits") }} AS splits
JOIN {{ rel("open_nodes") }} AS open_nodes ON open_nodes.node_id = splits.node_id
CROSS JOIN (VALUES (0), (1)) AS sides (side)
