{#
relation = "ranked_values"
grain = "one row per node, attribute and value, with the tuples up to and including it"
key = ["node_id", "attribute", "code"]
inputs = ["value_counts"]
params = []
columns = ["node_id", "attribute", "node_tuples", "code", "running"]
paper = "Algorithm 3, line 12"
why = "Values in their own order, text too: a cumulative count over discrete values, no interpolation."
#}
SELECT
    node_id,
    attribute,
    node_tuples,
    code,
    CAST(sum(tuples) OVER (PARTITION BY node_id, attribute ORDER BY code ROWS UNBOUNDED PRECEDING) AS BIGINT) AS running
FROM {{ rel("value_counts") }}
