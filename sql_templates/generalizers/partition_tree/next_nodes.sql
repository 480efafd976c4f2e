{#
relation = "next_nodes"
grain = "one row per child node"
key = ["node_id"]
inputs = ["splits"]
params = []
columns = ["node_id"]
paper = "Algorithm 3, lines 16 and 17"
why = "The open nodes of the next level."
#}
SELECT unnest([left_id, left_id + 1]) AS node_id
FROM {{ rel("splits") }}
