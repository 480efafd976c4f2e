{#
relation = "left_keys"
grain = "one row per splitting node and key that goes left"
key = ["node_id", "key"]
inputs = ["splits", "cut_costs"]
params = []
columns = ["node_id", "key"]
why = "The left side of a cut as a set of keys: an order by frequency has no cut value."
#}
SELECT cut_costs.node_id, cut_costs.key
FROM {{ rel("cut_costs") }} AS cut_costs
JOIN {{ rel("splits") }} AS splits
    ON splits.node_id = cut_costs.node_id AND splits.ordering = cut_costs.ordering
WHERE cut_costs.left_tuples <= splits.left_tuples
