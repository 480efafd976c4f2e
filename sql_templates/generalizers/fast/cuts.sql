{#
relation = "cuts"
grain = "one row per node and attribute that has a boundary with k tuples on both sides"
key = ["node_id", "attribute"]
inputs = ["ranked_values"]
params = ["unordered", "k"]
columns = ["node_id", "attribute", "node_tuples", "cut", "cut_code"]
paper = "Algorithm 3, lines 12 to 15, with the allowable cut nearest the middle"
why = "The literal median gives an attribute up where it is the largest value; here any allowable boundary will do. Of two equally near ones the smaller; distance and size are packed into one number to pick both at once."
#}
SELECT
    node_id,
    attribute,
    node_tuples,
    best % (node_tuples + 1) AS cut,
    cut_code
FROM (
    SELECT
        node_id,
        attribute,
        node_tuples,
        min(abs(2 * running - node_tuples) * (node_tuples + 1) + running) AS best,
        min_by(code, abs(2 * running - node_tuples) * (node_tuples + 1) + running) AS code_at_cut,
        CASE WHEN attribute IN ({% for a in unordered %}{{ a }}{{ comma(loop.last) }}{% endfor %}) THEN NULL ELSE code_at_cut END AS cut_code
    FROM {{ rel("ranked_values") }}
    WHERE running >= {{ k }} AND node_tuples - running >= {{ k }}
    GROUP BY node_id, attribute, node_tuples
) AS nearest
