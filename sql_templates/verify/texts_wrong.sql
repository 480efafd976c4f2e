{#
relation = "texts_wrong"
grain = "one row per tuple that the readable relation shows otherwise than its group and buckets"
key = ["rid"]
inputs = ["anonymized", "tuples", "groups"]
params = ["attributes", "rows"]
columns = ["rid", "attribute"]
why = "Built another way than the relation itself: each group's text once, then beside its tuples. Of a view, whose text is the same for all rows, the first rows are enough."
#}
{% macro text(value) -%}
CASE WHEN {{ value }} IS NULL THEN 'NULL'
                WHEN translate(CAST({{ value }} AS VARCHAR), ',{}"', '') = CAST({{ value }} AS VARCHAR) THEN CAST({{ value }} AS VARCHAR)
                ELSE CAST(json_quote(CAST({{ value }} AS VARCHAR)) AS VARCHAR) END
{%- endmacro %}
WITH group_texts AS (
    SELECT
        gid
{% for a in attributes %}
{% if a.role in ("quasi-identifier", "semi-sensitive") %}
        , CASE WHEN {{ col(a.name, "form") }} = 'W' THEN '*'
{% if a.ordered %}
            WHEN {{ col(a.name, "form") }} = 'Q' THEN concat('[', {{ text(col(a.name, "lo")) }}, ', ', {{ text(col(a.name, "hi")) }}, ']')
{% elif a.shows_node %}
            WHEN {{ col(a.name, "form") }} = 'Q' THEN {{ text(col(a.name, "node")) }}
{% else %}
            WHEN {{ col(a.name, "form") }} = 'Q' THEN concat('{', list_aggregate([{{ text(col("member")) }} FOR member IN {{ col(a.name, "set") }}], 'string_agg', ', '), '}')
{% endif %}
        END AS {{ col(a.name, "text") }}
{% endif %}
{% endfor %}
    FROM {{ rel("groups") }}
    WHERE gid IN (SELECT gid FROM {{ rel("tuples") }} WHERE rid <= {{ rows }})
)
SELECT * FROM (
    SELECT
        cells.rid,
        CASE
            WHEN readable.rid IS NULL OR readable.gid IS DISTINCT FROM cells.gid THEN -1
{% for a in attributes %}
            WHEN readable.{{ col(a.name) }} IS DISTINCT FROM
{% if a.role == "insensitive" %}
                {{ text(col("cells") ~ dot ~ col(a.name)) }}
{% elif a.role == "sensitive" %}
                concat('bucket ', cells.{{ col(a.name, "bid") }})
{% elif a.role == "semi-sensitive" %}
                coalesce(group_texts.{{ col(a.name, "text") }}, concat('bucket ', cells.{{ col(a.name, "bid") }}))
{% else %}
                group_texts.{{ col(a.name, "text") }}
{% endif %}
                THEN {{ loop.index0 }}
{% endfor %}
        END AS attribute
    FROM (SELECT * FROM {{ rel("tuples") }} WHERE rid <= {{ rows }}) AS cells
    JOIN group_texts ON group_texts.gid = cells.gid
    LEFT JOIN (SELECT * FROM {{ rel("anonymized") }} WHERE rid <= {{ rows }}) AS readable ON readable.rid = cells.rid
) AS judged
WHERE attribute IS NOT NULL
