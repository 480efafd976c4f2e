{#
relation = "shown_groups"
grain = "one row per group"
key = ["gid"]
inputs = ["groups", "sat"]
params = ["attribute"]
columns = ["gid", "width"]
why = "Over how many values a shown cell spreads the belief: those of its set, or the bucketed values known to lie in its range."
#}
{% macro place(value) -%}
{% if attribute.words -%}
list_position([{% for word in attribute.words %}{{ lit(word) }}{{ comma(loop.last) }}{% endfor %}], {{ value }})
{%- else -%}
{{ value }}
{%- endif %}
{%- endmacro %}
{% if attribute.ordered %}
WITH ranks AS (
    SELECT value, row_number() OVER (ORDER BY value) AS place
    FROM (SELECT DISTINCT {{ place(col("value")) }} AS value FROM {{ rel("sat") }} WHERE value IS NOT NULL) AS distinct_values
),
ranges AS (
    SELECT gid, {{ place(col(attribute.name, "lo")) }} AS low, {{ place(col(attribute.name, "hi")) }} AS high
    FROM {{ rel("groups") }}
)
SELECT ranges.gid, greatest(coalesce(reached.place, 0) - coalesce(below.place, 0), 1) AS width
FROM ranges
ASOF LEFT JOIN ranks AS reached ON ranges.high >= reached.value
ASOF LEFT JOIN ranks AS below ON ranges.low > below.value
{% else %}
SELECT gid, greatest(coalesce(len({{ col(attribute.name, "set") }}), 1), 1) AS width
FROM {{ rel("groups") }}
{% endif %}
