{#
relation = "nodes_not_true"
grain = "one row per group whose node is not the lowest above its tuples, or whose set is not what the node covers"
key = ["gid"]
inputs = ["linked_tuples", "groups", "source_rows", "hierarchy_cover_{attribute}"]
params = ["attribute"]
columns = ["gid"]
why = "Against the source and the policy's tree: of all nodes that cover every value of the group the deepest, and exactly its leaves, ascending, compared by their 64-bit hash: lists in a join are copied row by row. Groups that show NULL are judged by boxes_not_true. The casts undo what a Parquet file makes of a type."
#}
WITH cover AS (
    SELECT node, depth, CAST(leaf AS {{ attribute.type }}) AS value
    FROM {{ rel("hierarchy_cover", attribute.name) }}
),
shown AS (
    SELECT
        gid,
        {{ col(attribute.name, "node") }} AS node,
        hash(CAST({{ col(attribute.name, "set") }} AS {{ attribute.type }}[])) AS leaves
    FROM {{ rel("groups") }}
    WHERE {{ col(attribute.name, "form") }} = 'Q' AND {{ col(attribute.name, "set") }}[1] IS NOT NULL
),
members AS (
    SELECT gid, value, count(*) OVER (PARTITION BY gid) AS in_group
    FROM (
        SELECT DISTINCT cells.gid, truth.{{ col(attribute.name, "value") }} AS value
        FROM {{ rel("source_rows") }} AS truth
        JOIN {{ rel("linked_tuples") }} AS cells ON cells.row_id = truth.rowid
        JOIN shown ON shown.gid = cells.gid
    ) AS distinct_members
),
lowest AS (
    SELECT gid, max_by(node, depth) AS node
    FROM (
        SELECT members.gid, cover.node, cover.depth
        FROM members
        JOIN cover ON cover.value = members.value
        GROUP BY members.gid, cover.node, cover.depth, members.in_group
        HAVING count(*) = members.in_group
    ) AS common
    GROUP BY gid
)
SELECT shown.gid
FROM shown
LEFT JOIN lowest ON lowest.gid = shown.gid
LEFT JOIN (SELECT node, hash(list(value ORDER BY value)) AS leaves FROM cover GROUP BY node) AS covered ON covered.node = shown.node
WHERE lowest.node IS DISTINCT FROM shown.node OR covered.leaves IS DISTINCT FROM shown.leaves
