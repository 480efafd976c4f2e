{#
relation = "next_nodes"
grain = "one row per child node"
key = ["node_id"]
inputs = ["splits", "tree_nodes"]
params = []
columns = ["node_id", "root_id", "place"]
why = "`place` is where the node's tuples start when the tree is read from left to right: neighbours in it are alike."
#}
SELECT
    splits.left_id + side AS node_id,
    tree_nodes.root_id,
    tree_nodes.place + side * splits.left_tuples AS place
FROM {{ rel("splits") }} AS splits
JOIN {{ rel("tree_nodes") }} AS tree_nodes ON tree_nodes.node_id = splits.node_id
CROSS JOIN (VALUES (0), (1)) AS sides (side)
