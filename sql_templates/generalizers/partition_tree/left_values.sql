{#
relation = "left_values"
grain = "one row per node that is cut by frequency and value that goes left"
key = ["node_id", "code"]
inputs = ["all_cuts", "ranked_values", "other_ranked_values"]
params = []
columns = ["node_id", "attribute", "code"]
paper = "Algorithm 3, line 13: S_l"
why = "An attribute ordered by frequency has no cut code; its left side is a set of values."
#}
SELECT ranked.node_id, ranked.attribute, ranked.code
FROM (
    SELECT node_id, attribute, code, running FROM {{ rel("ranked_values") }}
    UNION ALL
    SELECT node_id, attribute, code, running FROM {{ rel("other_ranked_values") }}
) AS ranked
JOIN {{ rel("all_cuts") }} AS all_cuts
    ON all_cuts.node_id = ranked.node_id AND all_cuts.attribute = ranked.attribute
WHERE all_cuts.cut_code IS NULL AND ranked.running <= all_cuts.cut
