{#
relation = "group_sets_{attribute}"
grain = "one row per local equivalence group that shows values of this unordered attribute"
key = ["group_id"]
inputs = ["grouped_rows", "quasi_domain_{attribute}"]
params = ["attribute"]
columns = ["group_id", "members"]
paper = "Algorithm 3, line 25: generalize"
why = "The set of values that a group shows, ascending."
#}
SELECT shown.group_id, list(quasi_domain.value ORDER BY quasi_domain.code) AS members
FROM (
    SELECT DISTINCT group_id, {{ col(attribute.name, "code") }} AS code
    FROM {{ rel("grouped_rows") }}
    WHERE {{ col(attribute.name, "code") }} IS NOT NULL
) AS shown
JOIN {{ rel("quasi_domain", attribute.name) }} AS quasi_domain ON quasi_domain.code = shown.code
GROUP BY shown.group_id
