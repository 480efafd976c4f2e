{#
relation = "splits"
grain = "one row per node that splits"
key = ["node_id"]
inputs = ["cuts", "other_choice"]
params = []
columns = ["node_id", "attribute", "node_tuples", "cut", "cut_code", "left_id"]
paper = "Algorithm 3, lines 13 to 18: S_l and S_r"
why = "Children are numbered left_id and left_id + 1; node ids stay dense at every level."
#}
SELECT
    node_id,
    attribute,
    node_tuples,
    cut,
    cut_code,
    CAST(2 * row_number() OVER (ORDER BY node_id) - 1 AS INTEGER) AS left_id
FROM (
    SELECT node_id, attribute, node_tuples, cut, cut_code FROM {{ rel("cuts") }}
    UNION ALL
    SELECT node_id, attribute, node_tuples, cut, cut_code FROM {{ rel("other_choice") }}
) AS all_cuts
