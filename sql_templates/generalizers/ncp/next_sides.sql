{#
relation = "next_sides"
grain = "one row per node that has tuples to deal after the block"
key = ["node_id"]
inputs = ["dealt_sides", "dealt_rows"]
params = ["attributes", "last_turn"]
columns = ["node_id", "turn", "row_id", "in_first", "size_1", "size_2", "penalty_1", "penalty_2", "{ordered}_low_1", "{ordered}_low_2", "{ordered}_high_1", "{ordered}_high_2", "{hierarchical}_cost_1", "{hierarchical}_cost_2", "{flat}_set_1", "{flat}_set_2"]
paper = "Algorithm 4, line 14: divide_table goes on"
why = "Where the next block of turns begins."
#}
SELECT
    node_id, turn, row_id, in_first, size_1, size_2, penalty_1, penalty_2
{% for a in attributes %}
{% for side in (1, 2) %}
{% for part in (("low", "high") if a.ordered else ("cost",) if a.hierarchy else ("set",)) %}
    , {{ col(a.name, part ~ "_" ~ side) }}
{% endfor %}
{% endfor %}
{% endfor %}
FROM {{ rel("dealt_sides") }} AS dealt_sides
WHERE turn = {{ last_turn }}
    AND EXISTS (SELECT 1 FROM {{ rel("dealt_rows") }} AS dealt_rows
        WHERE dealt_rows.node_id = dealt_sides.node_id AND dealt_rows.turn = {{ last_turn }} + 1)
