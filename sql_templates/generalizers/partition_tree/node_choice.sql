{#
relation = "node_choice"
grain = "one row per open node that has an attribute of some width"
key = ["node_id"]
inputs = ["node_widths", "code_layout"]
params = ["attributes"]
columns = ["node_id", "tuples", "{attribute}_width", "attribute", "word", "shift", "place_mask"]
paper = "Algorithm 3, line 11: choose_dimension"
why = "The widest attribute; of equally wide ones the first in the generalizer's order. Attributes are numbered from 0, in policy order."
#}
SELECT chosen.* EXCLUDE (widest), code_layout.word, code_layout.shift, code_layout.place_mask
FROM (
    SELECT
        *,
        CASE
{% for a in attributes %}
            WHEN {{ col(a.name, "width") }} = widest THEN {{ a.place }}
{% endfor %}
        END AS attribute
    FROM (
        SELECT *, greatest(
{% for a in attributes %}
            {{ col(a.name, "width") }}{{ comma(loop.last) }}
{% endfor %}
        ) AS widest
        FROM {{ rel("node_widths") }}
    ) AS widths
    WHERE widest > 0
) AS chosen
JOIN {{ rel("code_layout") }} AS code_layout ON code_layout.attribute = chosen.attribute
