{#
relation = "closed_nodes"
grain = "one row per node that does not split at this level; levels are appended"
key = ["group_id"]
inputs = ["open_nodes", "splits"]
params = ["groups_so_far"]
columns = ["node_id", "root_id", "group_id"]
paper = "Algorithm 3, lines 24 to 27"
why = "A node that no attribute can split is a local equivalence group."
#}
SELECT node_id, root_id, CAST({{ groups_so_far }} + row_number() OVER (ORDER BY node_id) AS INTEGER) AS group_id
FROM {{ rel("open_nodes") }} AS open_nodes
WHERE NOT EXISTS (SELECT 1 FROM {{ rel("splits") }} AS splits WHERE splits.node_id = open_nodes.node_id)
