{#
relation = "class_counts"
grain = "one row per equivalence class and value of the sensitive column"
key = ["class_id", "value"]
inputs = ["audited_table"]
params = ["quasi", "sensitive"]
columns = ["class_id", "value", "n"]
why = "Classes are rows with the same quasi-identifiers, compared as they stand; NULL is a value like any other, here and in the sensitive column."
#}
SELECT
    dense_rank() OVER (ORDER BY {% for name in quasi %}{{ col("quasi", loop.index0) }}{{ comma(loop.last) }}{% endfor %}) AS class_id,
    value,
    n
FROM (
    SELECT
{% for name in quasi %}
        {{ col(name) }} AS {{ col("quasi", loop.index0) }},
{% endfor %}
        {{ col(sensitive) }} AS value,
        count(*) AS n
    FROM {{ rel("audited_table") }}
    GROUP BY ALL
) AS counted
