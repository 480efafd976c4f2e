{#
relation = "large_sets"
grain = "one row per group with a set too large for boxes_not_true"
key = ["gid"]
inputs = ["groups"]
params = ["attribute"]
columns = ["gid"]
why = "Whether sets_not_true has anything to do; most releases have no such set."
#}
SELECT gid
FROM {{ rel("groups") }}
WHERE len({{ col(attribute.name, "set") }}) > 61
