{#
relation = "node_sets_{attribute}"
grain = "one row per node of the attribute's hierarchy that some group shows"
key = ["node"]
inputs = ["group_ranges", "hierarchy_nodes_{attribute}", "hierarchy_leaves_{attribute}"]
params = ["attribute"]
columns = ["node", "name", "shown"]
paper = "Algorithm 3, line 25: generalize"
why = "A node's name and all leaves that it covers, ascending: a function of the policy, so that node and set say the same."
#}
SELECT nodes.node, nodes.name, list(leaves.value ORDER BY leaves.value) AS shown
FROM {{ rel("hierarchy_nodes", attribute.name) }} AS nodes
JOIN {{ rel("hierarchy_leaves", attribute.name) }} AS leaves
    ON leaves.leaf >= nodes.first_leaf AND leaves.leaf < nodes.first_leaf + nodes.leaves
WHERE nodes.node IN (SELECT {{ col(attribute.name, "node") }} FROM {{ rel("group_ranges") }})
GROUP BY nodes.node, nodes.name
