{#
relation = "lgb_tuples"
grain = "one row per tuple that may satisfy all predicates"
key = ["rid"]
inputs = ["tuples", "lgb_cells_{generalised}", "lgb_buckets_{bucketed}", "lgb_plain_{insensitive}"]
params = ["attributes", "generalised", "bucketed", "insensitive"]
columns = ["rid", "tuple"]
why = "A tuple may satisfy all predicates if each may hold, and must if each must: logic alone. The shares multiply, for estimates only. Where nothing is asked of an attribute (free), its cells are not read. A tuple is one value, so that macros can hand on lists of them."
#}
{% import "_macros/predicates.sql" as predicates %}
{# What the cell of a tuple says: its bucket, else its group, else what holds where nothing is asked. #}
{% macro said(a, bucket, group, otherwise) -%}
coalesce({% if a in bucketed %}{{ col("bucket", a.name) }}.{{ col(bucket) }}, {% endif %}
{%- if a in generalised %}{{ col("cell", a.name) }}.{{ col(group) }}, {% endif %}{{ otherwise }})
{%- endmacro %}
{% macro free(a) -%}
asked.{{ col("free", a.name) }}
{%- endmacro %}
{% macro free_share(a) -%}
CASE WHEN {{ free(a) }} THEN 1 ELSE 0.5 END
{%- endmacro %}
WITH asked AS (
    SELECT TRUE AS always
{% for a in attributes %}
        , {{ predicates.free(a) }} AS {{ col("free", a.name) }}
{% endfor %}
    FROM (
        SELECT
{% for a in attributes %}
            CAST(NULL AS {{ a.type }}) AS {{ col(a.name) }}{{ comma(loop.last) }}
{% endfor %}
    ) AS x
)
SELECT
    t.rid,
    {
        'key': NULL,
        'other': FALSE,
        'gid': t.gid,
{% for a in bucketed %}
        {{ lit(a.name ~ "_bid") }}: t.{{ col(a.name, "bid") }},
{% endfor %}
        'must': TRUE{% for a in attributes if a not in insensitive %}

            AND {{ said(a, "must", "must", free(a)) }}{% endfor %},
        'share': CAST(1 AS DOUBLE){% for a in attributes if a not in insensitive %}

            * {{ said(a, "share", "share", free_share(a)) }}{% endfor %},
        'uniform': CAST(1 AS DOUBLE){% for a in attributes if a not in insensitive %}

            * {{ said(a, "share", "uniform", free_share(a)) }}{% endfor %}

    } AS tuple
FROM {{ rel("tuples") }} AS t
CROSS JOIN asked
{% for a in insensitive %}
JOIN {{ rel("lgb_plain", a.name) }}({{ col(a.name) }}) AS {{ col("plain", a.name) }}
    ON {{ col("plain", a.name) }}.rid = t.rid
{% endfor %}
{% for a in generalised %}
LEFT JOIN (SELECT c.* FROM {{ rel("lgb_cells", a.name) }}({{ col(a.name) }}) AS c WHERE NOT c.free)
    AS {{ col("cell", a.name) }} ON {{ col("cell", a.name) }}.gid = t.gid
{% endfor %}
{% for a in bucketed %}
LEFT JOIN (SELECT b.* FROM {{ rel("lgb_buckets", a.name) }}({{ col(a.name) }}) AS b WHERE NOT b.free)
    AS {{ col("bucket", a.name) }} ON {{ col("bucket", a.name) }}.bid = t.{{ col(a.name, "bid") }}
{% endfor %}
WHERE TRUE
{% for a in attributes if a not in insensitive %}
    AND {{ said(a, "may", "may", lit(true)) }}
{% endfor %}
