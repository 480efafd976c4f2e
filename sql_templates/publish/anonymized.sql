{#
relation = "anonymized"
grain = "one row per released tuple"
key = ["rid"]
inputs = ["tuples", "groups"]
params = ["attributes"]
columns = ["rid", "gid", "{attribute}"]
paper = "The anonymized table by LGB (second figure)"
why = "For people, not for parsing: each cell as text."
#}
{% import "_macros/dialect.sql" as dialect %}
{% macro text(value) -%}
CASE WHEN {{ value }} IS NULL THEN 'NULL'
            WHEN regexp_matches(CAST({{ value }} AS VARCHAR), '[,{}"]') THEN {{ dialect.json_text(value) }}
            ELSE CAST({{ value }} AS VARCHAR) END
{%- endmacro %}
SELECT
    tuples.rid,
    tuples.gid
{% for a in attributes %}
{% if a.role == "insensitive" %}
    , {{ text(col("tuples") ~ dot ~ col(a.name)) }} AS {{ col(a.name) }}
{% elif a.role == "sensitive" %}
    , coalesce('bucket ' || tuples.{{ col(a.name, "bid") }}, '*') AS {{ col(a.name) }}
{% else %}
    , CASE groups.{{ col(a.name, "form") }}
{% if a.ordered %}
        WHEN 'Q' THEN '[' || {{ text(col("groups") ~ dot ~ col(a.name, "lo")) }}
            || ', ' || {{ text(col("groups") ~ dot ~ col(a.name, "hi")) }} || ']'
{% elif a.shows_node %}
        WHEN 'Q' THEN {{ text(col("groups") ~ dot ~ col(a.name, "node")) }}
{% else %}
        WHEN 'Q' THEN '{' || array_to_string(list_transform(groups.{{ col(a.name, "set") }}, lambda member:
            {{ text(col("member")) }}), ', ') || '}'
{% endif %}
{% if a.role == "semi-sensitive" %}
        WHEN 'S' THEN 'bucket ' || tuples.{{ col(a.name, "bid") }}
{% endif %}
        ELSE '*' END AS {{ col(a.name) }}
{% endif %}
{% endfor %}
FROM {{ rel("tuples") }} AS tuples
JOIN {{ rel("groups") }} AS groups ON groups.gid = tuples.gid
