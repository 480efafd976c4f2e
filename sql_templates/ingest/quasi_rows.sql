{#
relation = "quasi_rows"
grain = "one row per source row"
key = ["row_id"]
inputs = ["quasi_rows_part_{part}"]
params = ["parts", "words"]
columns = ["row_id", "pattern", "codes_{word}"]
paper = "Definition 8 (QI partition): the pattern says which attributes hold QI values"
why = "All parts side by side. DuckDB plans a statement of hundreds of joins in minutes; wide tables are therefore made in parts."
#}
SELECT
    {{ rel("quasi_rows_part", parts[0]) }}.row_id,
{% if parts | length == 1 %}
    pattern
{% else %}
    concat(
{% for part in parts %}
        {{ rel("quasi_rows_part", part) }}.pattern{{ comma(loop.last) }}
{% endfor %}
    ) AS pattern
{% endif %}
{% for word in words %}
    , {{ col("codes", word) }}
{% endfor %}
FROM {{ rel("quasi_rows_part", parts[0]) }}
{% for part in parts[1:] %}
JOIN {{ rel("quasi_rows_part", part) }} ON {{ rel("quasi_rows_part", part) }}.row_id = {{ rel("quasi_rows_part", parts[0]) }}.row_id
{% endfor %}
