{#
relation = "all_cuts"
grain = "one row per node that splits"
key = ["node_id"]
inputs = ["cuts", "other_choice"]
params = []
columns = ["node_id", "attribute", "node_tuples", "cut", "cut_code"]
paper = "Algorithm 3, lines 10 to 23"
why = "The cut of the widest attribute, or of the widest other one where that allowed none."
#}
SELECT node_id, attribute, node_tuples, cut, cut_code FROM {{ rel("cuts") }}
UNION ALL
SELECT node_id, attribute, node_tuples, cut, cut_code FROM {{ rel("other_choice") }}
