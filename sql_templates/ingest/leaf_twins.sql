{#
relation = "leaf_twins"
grain = "one row per leaf of a hierarchy, depth first"
key = []
inputs = ["leaf_texts"]
params = ["type"]
columns = ["first_leaf"]
why = "Which leaf is the first of the same value: a leaf that is no value of the attribute's type has none, two of the same value are refused."
#}
SELECT CASE WHEN value IS NOT NULL THEN min(leaf) OVER (PARTITION BY value) END AS first_leaf
FROM (SELECT leaf, TRY_CAST(text AS {{ type }}) AS value FROM {{ rel("leaf_texts") }}) AS cast_leaves
ORDER BY leaf
