{#
relation = "open_rows"
grain = "one row per released tuple"
key = ["row_id"]
inputs = ["quasi_rows", "pattern_plan", "root_forms", "borrowed_rows"]
params = ["words"]
columns = ["row_id", "node_id", "codes_{word}"]
paper = "Algorithm 3, lines 2 to 4: every subset of the QI partition starts as one set"
why = "The root of each tuple's tree. The bits of withheld cells are cleared, so no cut can depend on them."
#}
SELECT
    quasi_rows.row_id,
    root_forms.root_id AS node_id
{% for word in words %}
    , quasi_rows.{{ col("codes", word) }} & root_forms.{{ col("shown", word) }} AS {{ col("codes", word) }}
{% endfor %}
FROM {{ rel("quasi_rows") }} AS quasi_rows
JOIN {{ rel("pattern_plan") }} AS pattern_plan ON pattern_plan.pattern = quasi_rows.pattern
LEFT JOIN {{ rel("borrowed_rows") }} AS borrowed_rows ON borrowed_rows.row_id = quasi_rows.row_id
JOIN {{ rel("root_forms") }} AS root_forms
    ON root_forms.root_id = coalesce(borrowed_rows.root_id, pattern_plan.root_id)
