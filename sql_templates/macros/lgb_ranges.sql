{#
relation = "lgb_ranges_{attribute}"
grain = "one row per group that shows a range"
key = ["gid"]
inputs = ["groups", "lgb_points_{attribute}"]
params = ["attribute", "numeric"]
columns = ["gid", "may", "must", "share", "uniform", "complete", "places", "weight", "others", "low", "high", "mean"]
why = "How many of the values between both ends satisfy the predicate, by running totals over the points. Where not all values are points, a range of two ends may hold others: the predicate may hold, and need not."
#}
{% import "_macros/places.sql" as places %}
{% set a = attribute %}
WITH points AS (
    SELECT
        p.value, p.place, p.weight, p.complete,
        CAST(p.holds AS BIGINT) AS here,
        CAST(p.holds AND NOT p.known AS BIGINT) AS other,
        CASE WHEN p.holds THEN p.weight ELSE 0 END AS holding_here
    FROM {{ rel("lgb_points", a.name) }}({{ col(a.name) }}) AS p
    WHERE p.value IS NOT NULL
),
steps AS (
    SELECT
        p.place, p.complete, p.here, p.weight AS weight_here, p.holding_here,
        row_number() OVER upwards AS places,
        CAST(sum(p.here) OVER upwards AS BIGINT) AS holding,
        CAST(sum(p.other) OVER upwards AS BIGINT) AS others,
        sum(p.weight) OVER upwards AS weight,
        sum(p.holding_here) OVER upwards AS holding_weight
{% if numeric %}
        , p.holding_here * CAST(p.value AS DOUBLE) AS sum_here
        , sum(p.holding_here * CAST(p.value AS DOUBLE)) OVER upwards AS holding_sum
        , max(CASE WHEN p.here = 1 THEN p.value END) OVER upwards AS last
        , min(CASE WHEN p.here = 1 THEN p.value END) OVER downwards AS next
{% endif %}
    FROM points AS p
    WINDOW upwards AS (ORDER BY p.place ROWS UNBOUNDED PRECEDING){% if numeric %},
        downwards AS (ORDER BY p.place DESC ROWS UNBOUNDED PRECEDING){% endif %}

),
cells AS (
    SELECT
        g.gid,
        l.complete OR l.place = h.place AS complete,
        h.places - l.places + 1 AS places,
        h.holding - l.holding + l.here AS holding,
        h.others - l.others AS others,  -- the lower end itself is known
        h.weight - l.weight + l.weight_here AS weight,
        h.holding_weight - l.holding_weight + l.holding_here AS holding_weight
{% if numeric %}
        , h.holding_sum - l.holding_sum + l.sum_here AS holding_sum
        , CASE WHEN l.complete OR l.place = h.place THEN l.next ELSE g.{{ col(a.name, "lo") }} END AS low
        , CASE WHEN l.complete OR l.place = h.place THEN h.last ELSE g.{{ col(a.name, "hi") }} END AS high
{% endif %}
    FROM {{ rel("groups") }} AS g
    JOIN steps AS l ON l.place = {{ places.place(a, col("g") ~ dot ~ col(a.name, "lo")) }}
    JOIN steps AS h ON h.place = {{ places.place(a, col("g") ~ dot ~ col(a.name, "hi")) }}
)
SELECT
    c.gid,
    c.holding > 0 OR NOT c.complete AS may,
    c.holding = c.places AND c.complete AS must,
    greatest(0, least(1, c.holding_weight / c.weight)) AS share,
    CASE WHEN c.complete THEN c.holding / c.places ELSE greatest(0, least(1, c.holding_weight / c.weight)) END AS uniform,
    c.complete,
    c.places,
    c.weight,
    c.others
{% if numeric %}
    , c.low
    , c.high
    , c.holding_sum / nullif(c.holding_weight, 0) AS mean
{% endif %}
FROM cells AS c
