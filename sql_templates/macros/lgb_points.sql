{#
relation = "lgb_points_{attribute}"
grain = "one row per value that a cell is known to be able to hold, and one for NULL"
key = ["value"]
inputs = ["domain_{attribute}"]
params = ["attribute", "most_points"]
columns = ["value", "place", "weight", "known", "declared", "complete", "holds"]
why = "A predicate is evaluated on values, never taken apart. Between the least and the greatest value that is shown, all integers, days or words of an ordered list are points (complete), so that a range is judged on every value it may hold."
#}
{% import "_macros/places.sql" as places %}
{% import "_macros/predicates.sql" as predicates %}
WITH known AS (
    SELECT d.value AS point, max(d.weight) AS weight, bool_or(d.declared) AS declared, bool_or(NOT d.declared) AS shown
    FROM {{ rel("domain", attribute.name) }} AS d
    GROUP BY d.value
),
{% if attribute.ordered and attribute.words %}
complete AS (
    SELECT TRUE AS complete
),
every AS (
    SELECT unnest([{% for word in attribute.words %}{{ lit(word) }}{{ comma(loop.last) }}{% endfor %}]) AS point
),
{% elif attribute.ordered and attribute.family in ("integer", "date") %}
ends AS (
    SELECT
{% if attribute.family == "integer" %}
        CAST(min(k.point) AS HUGEINT) AS low, CAST(max(k.point) AS HUGEINT) AS high
{% else %}
        min(k.point) AS low, max(k.point) AS high
{% endif %}
    FROM known AS k
    WHERE k.shown
),
complete AS (
    SELECT coalesce(e.high - e.low < {{ most_points }}, FALSE) AS complete FROM ends AS e
),
every AS (
    SELECT CAST(s.low + s.step AS {{ attribute.type }}) AS point
    FROM (
        SELECT e.low, CAST(unnest(range(CASE WHEN e.high - e.low < {{ most_points }}
            THEN CAST(e.high - e.low AS BIGINT) + 1 ELSE 0 END)) AS INTEGER) AS step
        FROM ends AS e
    ) AS s
),
{% else %}
complete AS (
    SELECT FALSE AS complete
),
every AS (
    SELECT k.point FROM known AS k
),
{% endif %}
points AS (
    SELECT coalesce(k.point, e.point) AS point, k.weight, k.point IS NOT NULL AS known, k.declared
    FROM known AS k
    FULL JOIN every AS e ON e.point = k.point
    UNION ALL
    SELECT NULL, NULL, FALSE, FALSE
)
SELECT
    x.{{ col(attribute.name, "point") }} AS value,
    {{ places.place(attribute, col("x") ~ dot ~ col(attribute.name, "point")) }} AS place,
    coalesce(x.{{ col(attribute.name, "weight") }}, 0) AS weight,
    x.{{ col(attribute.name, "known") }} AS known,
    coalesce(x.{{ col(attribute.name, "declared") }}, FALSE) AS declared,
    x.{{ col(attribute.name, "complete") }} AS complete,
    {{ predicates.holds(attribute) }} AS holds
FROM (
    SELECT
        p.point AS {{ col(attribute.name) }},
        p.point AS {{ col(attribute.name, "point") }},
        p.weight AS {{ col(attribute.name, "weight") }},
        p.known AS {{ col(attribute.name, "known") }},
        p.declared AS {{ col(attribute.name, "declared") }},
        c.complete AS {{ col(attribute.name, "complete") }}
    FROM points AS p
    CROSS JOIN complete AS c
) AS x
