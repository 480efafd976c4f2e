{#
relation = "group_roots"
grain = "one row per group"
key = ["group_id"]
inputs = ["settled_rows"]
params = []
columns = ["group_id", "root_id"]
why = "Which cluster of patterns a group belongs to: it says what forms the group shows."
#}
SELECT group_id, min(root_id) AS root_id
FROM {{ rel("settled_rows") }}
GROUP BY group_id
