{#
relation = "lgb_whole_{attribute}"
grain = "one row for all that a withheld cell may hold"
key = []
inputs = ["lgb_points_{attribute}"]
params = ["attribute", "numeric", "listed"]
columns = ["null_holds", "listed", "may", "must", "share", "uniform", "low", "high", "mean", "bounded"]
why = "A withheld cell may hold NULL and any value of its type, or of the declared list where it names them all (listed). Two declared values of an ordered attribute are the ends of a range."
#}
{% set a = attribute %}
WITH facts AS (
    SELECT
        bool_or(p.holds AND p.value IS NULL) AS null_holds,
        bool_and(p.holds) AS all_hold,
        {{ lit(listed) }} AND count(*) FILTER (WHERE p.declared) > {{ 2 if a.ordered else 0 }} AS listed,
        count(*) FILTER (WHERE p.declared) AS declared,
        count(*) FILTER (WHERE p.declared AND p.holds) AS holding,
        sum(p.weight) AS weight,
        coalesce(sum(p.weight) FILTER (WHERE p.holds), 0) AS holding_weight
{% if numeric %}
        , coalesce(sum(p.weight * CAST(p.value AS DOUBLE)) FILTER (WHERE p.holds), 0) AS holding_sum
        , min(p.value) FILTER (WHERE p.declared) AS least
        , max(p.value) FILTER (WHERE p.declared) AS most
        , min(p.value) FILTER (WHERE p.declared AND p.holds) AS least_holding
        , max(p.value) FILTER (WHERE p.declared AND p.holds) AS most_holding
{% endif %}
    FROM {{ rel("lgb_points", a.name) }}({{ col(a.name) }}) AS p
)
SELECT
    f.null_holds,
    f.listed,
    f.null_holds OR NOT f.listed OR f.holding > 0 AS may,
    f.null_holds AND f.listed AND f.holding = f.declared AS must,
    CASE WHEN f.weight > 0 THEN f.holding_weight / f.weight WHEN f.all_hold THEN 1 ELSE 0.5 END AS share,
    CASE WHEN f.listed THEN f.holding / f.declared WHEN f.weight > 0 THEN f.holding_weight / f.weight
        WHEN f.all_hold THEN 1 ELSE 0.5 END AS uniform
{% if numeric %}
    , CASE WHEN f.listed THEN f.least_holding WHEN {{ lit(a.ordered and listed) }} AND f.declared = 2 THEN f.least END AS low
    , CASE WHEN f.listed THEN f.most_holding WHEN {{ lit(a.ordered and listed) }} AND f.declared = 2 THEN f.most END AS high
    , f.holding_sum / nullif(f.holding_weight, 0) AS mean
    , f.listed OR ({{ lit(a.ordered and listed) }} AND f.declared = 2) AS bounded
{% endif %}
FROM facts AS f
