{#
relation = "splits"
grain = "one row per node that splits"
key = ["node_id"]
inputs = ["cuts", "other_choice", "code_layout"]
params = []
columns = ["node_id", "attribute", "node_tuples", "cut", "cut_code", "word", "shift", "mask", "left_id"]
paper = "Algorithm 3, lines 13 to 18: S_l and S_r"
why = "Children are numbered left_id and left_id + 1; node ids stay dense at every level."
#}
SELECT
    all_cuts.*,
    code_layout.word,
    code_layout.shift,
    code_layout.mask,
    CAST(2 * row_number() OVER (ORDER BY all_cuts.node_id) - 1 AS INTEGER) AS left_id
FROM (
    SELECT node_id, attribute, node_tuples, cut, cut_code FROM {{ rel("cuts") }}
    UNION ALL
    SELECT node_id, attribute, node_tuples, cut, cut_code FROM {{ rel("other_choice") }}
) AS all_cuts
JOIN {{ rel("code_layout") }} AS code_layout ON code_layout.attribute = all_cuts.attribute
