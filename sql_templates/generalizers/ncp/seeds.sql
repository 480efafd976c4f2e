{#
relation = "seeds"
grain = "one row per node that may split"
key = ["node_id"]
inputs = ["placed_rows", "start_tuples", "domain_scales"]
params = ["attributes"]
columns = ["node_id", "place"]
paper = "Algorithm 4, line 13: find_seeds"
why = "The tuple that is farthest from the start, of several the first in random order. The second seed comes from the same text, with the first as its start."
#}
{% import "_macros/sides.sql" as boxes with context %}
SELECT node_id, CAST(-farthest.place_below AS INTEGER) AS place
FROM (
    SELECT
        placed_rows.node_id,
        max(struct_pack(
            penalty := CAST(0 AS DOUBLE)
{% for a in attributes %}
                + {{ boxes.pair_penalty(a, col("placed_rows"), col("start_rows")) }}
{% endfor %}
            , place_below := -placed_rows.place
        )) AS farthest
    FROM {{ rel("placed_rows") }} AS placed_rows
    JOIN {{ rel("start_tuples") }} AS start_tuples ON start_tuples.node_id = placed_rows.node_id
    JOIN {{ rel("placed_rows") }} AS start_rows
        ON start_rows.node_id = start_tuples.node_id AND start_rows.place = start_tuples.place
    CROSS JOIN {{ rel("domain_scales") }} AS domain_scales
    WHERE placed_rows.place <> start_tuples.place
    GROUP BY placed_rows.node_id
) AS farthest_tuples
