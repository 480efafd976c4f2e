{#
relation = "lgb_keys_{attribute}"
grain = "one row per group and value that its cell may hold; one more for values that no table lists (other)"
key = ["gid", "key", "other"]
inputs = ["groups", "lgb_points_{attribute}", "lgb_whole_{attribute}", "lgb_ranges_{ordered}", "lgb_sets_{unordered}"]
params = ["attribute"]
columns = ["gid", "key", "other", "must", "share", "uniform"]
why = "To group by an attribute is to ask once for every value that it may have: released or declared ones by name, all others together, NULL where it is possible. Values that do not satisfy the predicate are no keys."
#}
{% import "_macros/places.sql" as places %}
{% set a = attribute %}
WITH points AS (
    SELECT p.value, p.place, p.weight, p.known, p.declared, p.holds
    FROM {{ rel("lgb_points", a.name) }}({{ col(a.name) }}) AS p
),
{% if a.ordered %}
shown AS (
    SELECT s.gid, s.complete, s.places, s.weight, s.others
    FROM {{ rel("lgb_ranges", a.name) }}({{ col(a.name) }}) AS s
),
{% else %}
shown AS (
    SELECT s.gid, TRUE AS complete, s.places, s.weight, 0 AS others
    FROM {{ rel("lgb_sets", a.name) }}({{ col(a.name) }}) AS s
),
members AS (
    SELECT g.gid, unnest(g.{{ col(a.name, "set") }}) AS member
    FROM {{ rel("groups") }} AS g
),
{% endif %}
closed AS (
    SELECT
        g.gid,
        g.{{ col(a.name, "form") }} = 'W' AS withheld,
        w.null_holds,
        w.listed
    FROM {{ rel("groups") }} AS g
    CROSS JOIN {{ rel("lgb_whole", a.name) }}({{ col(a.name) }}) AS w
    WHERE g.{{ col(a.name, "form") }} = 'W' OR (g.{{ col(a.name, "form") }} = 'Q'
        AND g.{{ col(a.name, "lo") if a.ordered else col(a.name, "set") }}{% if not a.ordered %}[1]{% endif %} IS NULL)
),
total AS (
    SELECT nullif(sum(p.weight), 0) AS weight FROM points AS p
),
keys_shown AS (
    SELECT
        s.gid,
        p.value AS key,
        FALSE AS other,
        s.places = 1 AND s.complete AS must,
        CASE WHEN s.weight > 0 THEN p.weight / s.weight ELSE 1 / s.places END AS share,
        CASE WHEN s.complete OR s.weight <= 0 THEN 1 / s.places ELSE p.weight / s.weight END AS uniform
    FROM shown AS s
{% if a.ordered %}
    JOIN {{ rel("groups") }} AS g ON g.gid = s.gid
    JOIN points AS p ON p.place BETWEEN {{ places.place(a, col("g") ~ dot ~ col(a.name, "lo")) }}
        AND {{ places.place(a, col("g") ~ dot ~ col(a.name, "hi")) }}
{% else %}
    JOIN members AS m ON m.gid = s.gid
    JOIN points AS p ON p.value = m.member
{% endif %}
    WHERE p.known AND p.holds
    UNION ALL
    SELECT s.gid, NULL, TRUE, FALSE, 0, CASE WHEN s.complete THEN s.others / s.places ELSE 0 END
    FROM shown AS s
    WHERE s.others > 0 OR NOT s.complete
),
keys_closed AS (
    SELECT
        c.gid, p.value AS key, FALSE AS other, FALSE AS must,
        coalesce(p.weight / t.weight, 0) AS share, coalesce(p.weight / t.weight, 0) AS uniform
    FROM closed AS c
    CROSS JOIN total AS t
    JOIN points AS p ON p.holds AND p.known AND (p.declared OR NOT c.listed)
    WHERE c.withheld
    UNION ALL
    SELECT c.gid, NULL, o.other, NOT c.withheld, CAST(NOT c.withheld AS INTEGER), CAST(NOT c.withheld AS INTEGER)
    FROM closed AS c
    CROSS JOIN (SELECT unnest([FALSE, TRUE]) AS other) AS o
    WHERE CASE WHEN o.other THEN c.withheld AND NOT c.listed ELSE c.null_holds END
)
SELECT k.gid, k.key, k.other, k.must, k.share, k.uniform FROM keys_shown AS k
UNION ALL
SELECT k.gid, k.key, k.other, k.must, k.share, k.uniform FROM keys_closed AS k
