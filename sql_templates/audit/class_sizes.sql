{#
relation = "class_sizes"
grain = "one row per equivalence class"
key = []
inputs = ["audited_table"]
params = ["quasi"]
columns = ["size"]
why = "Rows with the same quasi-identifiers; NULL equals NULL."
#}
SELECT count(*) AS size
FROM {{ rel("audited_table") }}
GROUP BY {% for name in quasi %}{{ col(name) }}{{ comma(loop.last) }}{% endfor %}

