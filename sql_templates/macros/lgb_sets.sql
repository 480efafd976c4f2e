{#
relation = "lgb_sets_{attribute}"
grain = "one row per group that shows a set"
key = ["gid"]
inputs = ["groups", "lgb_points_{attribute}"]
params = ["attribute", "numeric"]
columns = ["gid", "may", "must", "share", "uniform", "places", "weight", "low", "high", "mean"]
why = "How many members of the set satisfy the predicate; the leaves below a node are members of its set."
#}
{% set a = attribute %}
WITH members AS (
    SELECT g.gid, unnest(g.{{ col(a.name, "set") }}) AS member
    FROM {{ rel("groups") }} AS g
    WHERE g.{{ col(a.name, "form") }} = 'Q'
),
cells AS (
    SELECT
        m.gid,
        count(*) AS places,
        count(*) FILTER (WHERE p.holds) AS holding,
        sum(p.weight) AS weight,
        coalesce(sum(p.weight) FILTER (WHERE p.holds), 0) AS holding_weight
{% if numeric %}
        , coalesce(sum(p.weight * CAST(p.value AS DOUBLE)) FILTER (WHERE p.holds), 0) AS holding_sum
        , min(p.value) FILTER (WHERE p.holds) AS low
        , max(p.value) FILTER (WHERE p.holds) AS high
{% endif %}
    FROM members AS m
    JOIN {{ rel("lgb_points", a.name) }}({{ col(a.name) }}) AS p ON p.value = m.member
    GROUP BY m.gid
)
SELECT
    c.gid,
    c.holding > 0 AS may,
    c.holding = c.places AS must,
    CASE WHEN c.weight > 0 THEN c.holding_weight / c.weight ELSE c.holding / c.places END AS share,
    c.holding / c.places AS uniform,
    c.places,
    c.weight
{% if numeric %}
    , c.low
    , c.high
    , c.holding_sum / nullif(c.holding_weight, 0) AS mean
{% endif %}
FROM cells AS c
