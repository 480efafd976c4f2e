{#
relation = "open_rows"
grain = "one row per released tuple"
key = ["row_id"]
inputs = ["quasi_rows", "pattern_plan", "root_forms", "borrowed_rows"]
params = ["attributes"]
columns = ["row_id", "root_id", "node_id", "{attribute}_code"]
paper = "Algorithm 3, lines 2 to 4: every subset of the QI partition starts as one set"
why = "The root of each tuple's tree. A withheld cell has no code, so no cut can depend on it."
#}
SELECT
    quasi_rows.row_id,
    root_forms.root_id,
    root_forms.root_id AS node_id
{% for a in attributes %}
    , CASE WHEN root_forms.{{ col(a.name, "letter") }} = 'Q' THEN {{ col(a.name, "code") }} END AS {{ col(a.name, "code") }}
{% endfor %}
FROM {{ rel("quasi_rows") }} AS quasi_rows
JOIN {{ rel("pattern_plan") }} AS pattern_plan ON pattern_plan.pattern = quasi_rows.pattern
LEFT JOIN {{ rel("borrowed_rows") }} AS borrowed_rows ON borrowed_rows.row_id = quasi_rows.row_id
JOIN {{ rel("root_forms") }} AS root_forms
    ON root_forms.root_id = coalesce(borrowed_rows.root_id, pattern_plan.root_id)
