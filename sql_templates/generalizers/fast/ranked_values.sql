{#
relation = "ranked_values"
grain = "one row per node, attribute and value, with the tuples up to and including it"
key = ["node_id", "attribute", "code"]
inputs = ["value_counts"]
params = ["unordered"]
columns = ["node_id", "attribute", "node_tuples", "code", "running"]
paper = "Algorithm 3, line 12, with a better order of unordered attributes"
why = "Ordered attributes by value; unordered ones by frequency within the node, most frequent first, ties by value."
#}
SELECT
    node_id,
    attribute,
    node_tuples,
    code,
    CAST(sum(tuples) OVER (
        PARTITION BY node_id, attribute
        ORDER BY CASE WHEN attribute IN ({% for a in unordered %}{{ a }}{{ comma(loop.last) }}{% endfor %}) THEN -tuples ELSE code END, code
        ROWS UNBOUNDED PRECEDING
    ) AS BIGINT) AS running
FROM {{ rel("value_counts") }}
