{#
relation = "closed_nodes"
grain = "one row per node that does not split"
key = ["node_id"]
inputs = ["tree_nodes", "splits"]
params = []
columns = ["node_id", "root_id", "place"]
why = "A node that no order can cut is a group, until tuples move."
#}
SELECT node_id, root_id, place
FROM {{ rel("tree_nodes") }} AS tree_nodes
WHERE NOT EXISTS (SELECT 1 FROM {{ rel("splits") }} AS splits WHERE splits.node_id = tree_nodes.node_id)
