{#
relation = "splits"
grain = "one row per node that splits"
key = ["node_id"]
inputs = ["tuple_sides"]
params = ["k"]
columns = ["node_id", "left_id"]
paper = "Algorithm 4, lines 15 to 20: both sides need k tuples, else the whole set is generalised"
why = "Children are numbered left_id and left_id + 1; node ids stay dense at every level."
#}
SELECT node_id, CAST(2 * row_number() OVER (ORDER BY node_id) - 1 AS INTEGER) AS left_id
FROM (
    SELECT node_id
    FROM {{ rel("tuple_sides") }}
    GROUP BY node_id
    HAVING count(*) FILTER (WHERE in_first) >= {{ k }} AND count(*) FILTER (WHERE NOT in_first) >= {{ k }}
) AS divided_nodes
