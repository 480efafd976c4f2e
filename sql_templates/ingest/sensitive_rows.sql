{#
relation = "sensitive_rows_{attribute}"
grain = "one row per tuple whose value of the attribute is bucketed"
key = ["row_id"]
inputs = ["source_rows", "changed_rows"]
params = ["attribute", "place"]
columns = ["row_id", "value"]
paper = "Algorithm 1, line 4: ValuePair_sen"
why = "All that bucketization may know: the flagged values of one attribute, less what the pattern plan withholds."
#}
SELECT
    CAST(source_rows.rowid AS UINTEGER) AS row_id,
    {{ col(attribute.name, "value") }} AS value
FROM {{ rel("source_rows") }} AS source_rows
LEFT JOIN {{ rel("changed_rows") }} AS changed_rows
    ON changed_rows.row_id = source_rows.rowid
WHERE
{% if attribute.flag %}
    {{ col(attribute.name, "flagged") }}
    AND (changed_rows.row_id IS NULL OR (NOT changed_rows.suppressed AND substr(changed_rows.form, {{ place }}, 1) = 'S'))
{% else %}
    changed_rows.row_id IS NULL OR NOT changed_rows.suppressed
{% endif %}
