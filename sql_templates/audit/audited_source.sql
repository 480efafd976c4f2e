{#
relation = "audited_source"
grain = "one row per source row, in source order; its rowid is the row's position"
key = ["rowid"]
inputs = ["given_source"]
params = ["columns", "null_flags_are_sensitive"]
columns = ["{column}"]
why = "The source as the policy types it, read once by the audit itself."
#}
SELECT
{% for column in columns %}
{% if column.is_flag %}
    {% if null_flags_are_sensitive %}coalesce({{ col(column.source) }}, TRUE){% else %}{{ col(column.source) }}{% endif %} AS {{ col(column.target) }}{{ comma(loop.last) }}
{% else %}
    CAST({{ col(column.source) }} AS {{ column.type }}) AS {{ col(column.target) }}{{ comma(loop.last) }}
{% endif %}
{% endfor %}
FROM {{ rel("given_source") }}
