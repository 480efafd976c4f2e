{#
relation = "group_labels"
grain = "one row per local equivalence group"
key = ["group_id"]
inputs = ["secret_keys"]
params = ["groups"]
columns = ["group_id", "gid"]
why = "Published group ids in a secret order of their own."
#}
SELECT group_id, CAST(row_number() OVER (ORDER BY secret_key) AS UINTEGER) AS gid
FROM (
    SELECT * FROM (SELECT CAST(range + 1 AS INTEGER) AS group_id FROM range({{ groups }})) AS groups
    POSITIONAL JOIN {{ rel("secret_keys") }}
) AS keyed_groups
