{#
relation = "changed_rows"
grain = "one row per tuple whose published form differs from its own pattern"
key = ["row_id"]
inputs = ["quasi_rows", "pattern_plan", "root_forms", "borrowed_rows"]
params = []
columns = ["row_id", "pattern", "form", "suppressed"]
why = "Suppressed tuples, and tuples of merged clusters with their common form."
#}
SELECT quasi_rows.row_id, quasi_rows.pattern, root_forms.form, pattern_plan.root_id IS NULL AS suppressed
FROM {{ rel("quasi_rows") }} AS quasi_rows
JOIN {{ rel("pattern_plan") }} AS pattern_plan ON pattern_plan.pattern = quasi_rows.pattern
LEFT JOIN {{ rel("borrowed_rows") }} AS borrowed_rows ON borrowed_rows.row_id = quasi_rows.row_id
LEFT JOIN {{ rel("root_forms") }} AS root_forms
    ON root_forms.root_id = coalesce(borrowed_rows.root_id, pattern_plan.root_id)
WHERE pattern_plan.root_id IS NULL OR root_forms.form <> quasi_rows.pattern
