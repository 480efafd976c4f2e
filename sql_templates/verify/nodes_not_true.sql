{#
relation = "nodes_not_true"
grain = "one row per group whose node is not the lowest above its tuples, or whose set is not what the node covers"
key = ["gid"]
inputs = ["linked_tuples", "groups", "source_rows", "hierarchy_cover_{attribute}"]
params = ["attribute"]
columns = ["gid"]
why = "Against the source and the policy's tree: of the nodes that cover most values of the group, which must be all, the deepest; and exactly its leaves, ascending, compared by number and 64-bit hash (which alone does not see a leading 0), as lists in a join are copied row by row. Groups that show NULL are judged by boxes_not_true. The casts undo what a Parquet file makes of a type."
#}
WITH covering_nodes AS (
    SELECT members.gid, cover.node, cover.depth, count(*) AS covered
    FROM (
        SELECT DISTINCT gid, {{ col(attribute.name, "value") }} AS value
        FROM {{ rel("source_rows") }} POSITIONAL JOIN {{ rel("linked_tuples") }}
        WHERE gid IS NOT NULL
{% if attribute.flag is not none %}
            AND NOT {{ col(attribute.name, "flagged") }}
{% endif %}
    ) AS members
    LEFT JOIN {{ rel("hierarchy_cover", attribute.name) }} AS cover
        ON CAST(cover.leaf AS {{ attribute.type }}) = members.value
    GROUP BY members.gid, cover.node, cover.depth
),
lowest AS (
    SELECT gid, max_by(node, covered * 64 + depth) AS node, count(*) FILTER (WHERE node IS NULL) AS outside
    FROM covering_nodes
    GROUP BY gid
)
SELECT shown.gid
FROM (
    SELECT
        gid,
        {{ col(attribute.name, "node") }} AS node,
        len({{ col(attribute.name, "set") }}) AS size,
        hash(CAST({{ col(attribute.name, "set") }} AS {{ attribute.type }}[])) AS leaves
    FROM {{ rel("groups") }}
    WHERE {{ col(attribute.name, "form") }} = 'Q' AND {{ col(attribute.name, "set") }}[1] IS NOT NULL
) AS shown
LEFT JOIN lowest ON lowest.gid = shown.gid
LEFT JOIN (
    SELECT node, count(*) AS size, hash(list(CAST(leaf AS {{ attribute.type }}) ORDER BY CAST(leaf AS {{ attribute.type }}))) AS leaves
    FROM {{ rel("hierarchy_cover", attribute.name) }}
    GROUP BY node
) AS covered ON covered.node = shown.node
WHERE lowest.node IS DISTINCT FROM shown.node
    OR lowest.outside > 0
    OR covered.size IS DISTINCT FROM shown.size
    OR covered.leaves IS DISTINCT FROM shown.leaves
