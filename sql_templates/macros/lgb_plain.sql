{#
relation = "lgb_plain_{attribute}"
grain = "one row per tuple whose value satisfies the predicate"
key = ["rid"]
inputs = ["tuples"]
params = ["attribute"]
columns = ["rid"]
why = "An insensitive attribute is released as it is: a predicate holds or does not."
#}
{% import "_macros/predicates.sql" as predicates %}
SELECT j.rid
FROM (
    SELECT
        x.{{ col(attribute.name, "rid") }} AS rid,
        {{ predicates.holds(attribute) }} AS holds
    FROM (
        SELECT t.{{ col(attribute.name) }} AS {{ col(attribute.name) }}, t.rid AS {{ col(attribute.name, "rid") }}
        FROM {{ rel("tuples") }} AS t
    ) AS x
) AS j
WHERE j.holds
