{#
relation = "splits"
grain = "one row per node that splits"
key = ["node_id"]
inputs = ["all_cuts", "left_sets", "code_layout"]
params = ["by_frequency"]
columns = ["node_id", "attribute", "node_tuples", "cut_place", "word", "shift", "place_mask", "left_id", "bit_word", "left_bits", "left_string"]
paper = "Algorithm 3, lines 13 to 18: S_l and S_r"
why = "Children are numbered left_id and left_id + 1; node ids stay dense at every level. What is cut by frequency has no cut code, but a set of values that go left."
#}
SELECT
    all_cuts.node_id,
    all_cuts.attribute,
    all_cuts.node_tuples,
    coalesce(all_cuts.cut_code << code_layout.shift, -1) AS cut_place,
    code_layout.word,
    code_layout.shift,
    code_layout.place_mask,
    CAST(2 * row_number() OVER (ORDER BY all_cuts.node_id) - 1 AS INTEGER) AS left_id
{% if by_frequency %}
    , code_layout.bit_word
    , coalesce(left_sets.left_bits, 0) AS left_bits
    , left_sets.left_string
{% endif %}
FROM {{ rel("all_cuts") }} AS all_cuts
JOIN {{ rel("code_layout") }} AS code_layout ON code_layout.attribute = all_cuts.attribute
{% if by_frequency %}
LEFT JOIN {{ rel("left_sets") }} AS left_sets ON left_sets.node_id = all_cuts.node_id
{% endif %}
