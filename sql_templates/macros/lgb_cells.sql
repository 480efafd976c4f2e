{#
relation = "lgb_cells_{attribute}"
grain = "one row per group"
key = ["gid"]
inputs = ["groups", "lgb_whole_{attribute}", "lgb_ranges_{ordered}", "lgb_sets_{unordered}"]
params = ["attribute", "numeric"]
columns = ["gid", "form", "free", "is_null", "may", "must", "share", "uniform", "low", "high", "mean", "bounded"]
why = "What the group's cell of the attribute says of the predicate: whether it may and must hold, and for which share of the values (by weight, and all alike); NULL where the cell is bucketed. Of numbers also between which a value lies that satisfies it (NULL: nobody knows), and their mean."
#}
{% import "_macros/predicates.sql" as predicates %}
{% set a = attribute %}
WITH cells AS (
    SELECT
        g.gid,
        g.{{ col(a.name, "form") }} AS form,
{% if a.ordered %}
        g.{{ col(a.name, "lo") }} IS NULL AND g.{{ col(a.name, "form") }} = 'Q' AS is_null
{% else %}
        g.{{ col(a.name, "set") }}[1] IS NULL AND g.{{ col(a.name, "form") }} = 'Q' AS is_null
{% endif %}
    FROM {{ rel("groups") }} AS g
    WHERE g.{{ col(a.name, "form") }} <> 'S'
)
SELECT
    c.gid,
    c.form,
    f.free,
    c.is_null,
{% for column in ("may", "must") %}
    CASE WHEN c.is_null THEN w.null_holds WHEN c.form = 'W' THEN w.{{ col(column) }} OR f.free
        ELSE s.{{ col(column) }} END AS {{ col(column) }},
{% endfor %}
    CASE WHEN c.is_null THEN CAST(w.null_holds AS DOUBLE) WHEN c.form = 'W' THEN w.share ELSE s.share END AS share,
    CASE WHEN c.is_null THEN CAST(w.null_holds AS DOUBLE) WHEN c.form = 'W' THEN w.uniform ELSE s.uniform END AS uniform
{% if numeric %}
    , CASE c.form WHEN 'W' THEN w.low ELSE s.low END AS low
    , CASE c.form WHEN 'W' THEN w.high ELSE s.high END AS high
    , CASE c.form WHEN 'W' THEN w.mean ELSE s.mean END AS mean
    , w.bounded OR c.form <> 'W' AS bounded
{% endif %}
FROM cells AS c
CROSS JOIN (
    SELECT {{ predicates.free(a) }} AS free FROM (SELECT CAST(NULL AS {{ a.type }}) AS {{ col(a.name) }}) AS x
) AS f
CROSS JOIN {{ rel("lgb_whole", a.name) }}({{ col(a.name) }}) AS w
{% if a.ordered %}
LEFT JOIN {{ rel("lgb_ranges", a.name) }}({{ col(a.name) }}) AS s ON s.gid = c.gid
{% else %}
LEFT JOIN {{ rel("lgb_sets", a.name) }}({{ col(a.name) }}) AS s ON s.gid = c.gid
{% endif %}
