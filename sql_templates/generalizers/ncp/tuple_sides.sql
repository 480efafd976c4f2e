{#
relation = "tuple_sides"
grain = "one row per tuple of a node that may split; blocks of turns are appended"
key = ["row_id"]
inputs = ["dealt_sides", "seed_boxes"]
params = ["first_turn"]
columns = ["row_id", "node_id", "in_first"]
paper = "Algorithm 4, line 14: T_1 and T_2"
why = "Which side every tuple is on; the seeds, which take no turn, come with the first block."
#}
SELECT row_id, node_id, in_first
FROM {{ rel("dealt_sides") }}
WHERE turn > {{ first_turn }}
{% if first_turn == 0 %}
UNION ALL
SELECT row_id_1, node_id, TRUE FROM {{ rel("seed_boxes") }}
UNION ALL
SELECT row_id_2, node_id, FALSE FROM {{ rel("seed_boxes") }}
{% endif %}
