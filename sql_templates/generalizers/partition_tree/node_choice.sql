{#
relation = "node_choice"
grain = "one row per open node that has an attribute of some width"
key = ["node_id"]
inputs = ["node_widths"]
params = ["attributes"]
columns = ["node_id", "tuples", "attribute"]
paper = "Algorithm 3, line 11: choose_dimension"
why = "The widest attribute; of equally wide ones the one that the policy names first. Attributes are numbered from 0."
#}
SELECT
    node_id,
    tuples,
    CASE
{% for a in attributes %}
        WHEN {{ col(a.name, "width") }} = widest THEN {{ loop.index0 }}
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
