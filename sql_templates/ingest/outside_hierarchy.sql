{#
relation = "outside_hierarchy"
grain = "one row: how many unflagged values, in how many rows, the attribute's hierarchy lacks"
key = []
inputs = ["source_rows", "hierarchy_leaves_{attribute}"]
params = ["attribute"]
columns = ["distinct_values", "tuples"]
why = "A value that is a quasi-identifier for somebody must be a leaf; a flagged one is only bucketed and need not be. Counted, never shown."
#}
SELECT count(DISTINCT {{ col(attribute.name, "value") }}) AS distinct_values, count(*) AS tuples
FROM {{ rel("source_rows") }}
WHERE {{ col(attribute.name, "value") }} IS NOT NULL
{% if attribute.flag %}
    AND NOT {{ col(attribute.name, "flagged") }}
{% endif %}
    AND {{ col(attribute.name, "value") }} NOT IN (SELECT value FROM {{ rel("hierarchy_leaves", attribute.name) }})
