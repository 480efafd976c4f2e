{#
relation = "group_roots"
grain = "one row per local equivalence group"
key = ["group_id"]
inputs = ["closed_nodes"]
params = []
columns = ["group_id", "root_id"]
paper = "Algorithm 3, lines 25 and 26"
why = "Which cluster of patterns a group belongs to: it says what forms the group shows."
#}
SELECT group_id, root_id
FROM {{ rel("closed_nodes") }}
