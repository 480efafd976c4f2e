{#
relation = "sets_not_true"
grain = "one row per group with a large set that does not describe its tuples exactly"
key = ["gid"]
inputs = ["linked_tuples", "groups", "source_rows"]
params = ["attribute"]
columns = ["gid"]
why = "The same as boxes_not_true, for sets of more than 61 values, which are rare: value by value."
#}
SELECT cells.gid
FROM {{ rel("groups") }} AS shown
JOIN {{ rel("linked_tuples") }} AS cells ON cells.gid = shown.gid
JOIN {{ rel("source_rows") }} AS truth ON truth.rowid = cells.row_id
WHERE len(shown.{{ col(attribute.name, "set") }}) > 61
GROUP BY cells.gid
HAVING count(DISTINCT truth.{{ col(attribute.name, "value") }}) <> max(len(shown.{{ col(attribute.name, "set") }}))
    OR bool_or(NOT coalesce(list_contains(shown.{{ col(attribute.name, "set") }}, truth.{{ col(attribute.name, "value") }}), FALSE))
