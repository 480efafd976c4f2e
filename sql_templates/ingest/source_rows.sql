{#
relation = "source_rows"
grain = "one row per source row, in source order; the table's rowid is the row's id from here on"
key = ["rowid"]
inputs = ["source"]
params = ["columns", "flags_null_as_sensitive"]
columns = ["{column}"]
why = "The one consistent snapshot: everything later reads this table, never the source again."
#}
SELECT
{% for column in columns %}
{% if column.is_flag and flags_null_as_sensitive %}
    coalesce({{ col(column.source) }}, TRUE) AS {{ col(column.target) }}{{ comma(loop.last) }}
{% elif column.is_flag %}
    {{ col(column.source) }} AS {{ col(column.target) }}{{ comma(loop.last) }}
{% else %}
    CAST({{ col(column.source) }} AS {{ column.type }}) AS {{ col(column.target) }}{{ comma(loop.last) }}
{% endif %}
{% endfor %}
FROM {{ rel("source") }}
