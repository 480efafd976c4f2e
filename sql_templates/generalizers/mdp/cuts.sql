{#
relation = "cuts"
grain = "one row per node and attribute whose median cut leaves k tuples on both sides"
key = ["node_id", "attribute"]
inputs = ["ranked_values"]
params = ["k"]
columns = ["node_id", "attribute", "node_tuples", "cut", "cut_code"]
paper = "Algorithm 3, lines 12 to 15, to the letter"
why = "The lower median, left `<=`, right `>`; the attribute fails when a side has fewer than k."
#}
SELECT node_id, attribute, node_tuples, min(running) AS cut, min(code) AS cut_code
FROM {{ rel("ranked_values") }}
WHERE 2 * running >= node_tuples
GROUP BY node_id, attribute, node_tuples
HAVING min(running) >= {{ k }} AND node_tuples - min(running) >= {{ k }}
