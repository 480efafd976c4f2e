{#
relation = "left_values"
grain = "one row per splitting node and value that goes left, where a value's place is not its code"
key = ["node_id", "code"]
inputs = ["splits", "ranked_values", "other_ranked_values"]
params = []
columns = ["node_id", "code"]
paper = "Algorithm 3, line 13: S_l"
why = "An attribute ordered by frequency has no cut code; its left side is a set of values."
#}
SELECT ranked.node_id, ranked.code
FROM (
    SELECT node_id, attribute, code, running FROM {{ rel("ranked_values") }}
    UNION ALL
    SELECT node_id, attribute, code, running FROM {{ rel("other_ranked_values") }}
) AS ranked
JOIN {{ rel("splits") }} AS splits
    ON splits.node_id = ranked.node_id AND splits.attribute = ranked.attribute
WHERE splits.cut_code IS NULL AND ranked.running <= splits.cut
