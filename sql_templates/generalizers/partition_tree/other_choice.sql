{#
relation = "other_choice"
grain = "one row per node that another attribute can split"
key = ["node_id"]
inputs = ["other_cuts", "node_choice"]
params = ["attributes"]
columns = ["node_id", "attribute", "node_tuples", "cut", "cut_code"]
paper = "Algorithm 3, lines 10 to 23: the widest attribute that allows a cut"
why = "Of the attributes with an allowable cut the widest; ties go to the first in the generalizer's order."
#}
SELECT node_id, attribute, node_tuples, cut, cut_code
FROM (
    SELECT
        other_cuts.*,
        row_number() OVER (
            PARTITION BY other_cuts.node_id
            ORDER BY CASE other_cuts.attribute
{% for a in attributes %}
                WHEN {{ a.place }} THEN node_choice.{{ col(a.name, "width") }}
{% endfor %}
            END DESC, CASE other_cuts.attribute
{% for a in attributes %}
                WHEN {{ a.place }} THEN {{ loop.index0 }}
{% endfor %}
            END
        ) AS place
    FROM {{ rel("other_cuts") }} AS other_cuts
    JOIN {{ rel("node_choice") }} AS node_choice ON node_choice.node_id = other_cuts.node_id
) AS ranked
WHERE place = 1
