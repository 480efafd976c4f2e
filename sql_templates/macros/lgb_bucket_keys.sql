{#
relation = "lgb_bucket_keys_{attribute}"
grain = "one row per bucket and value of it that satisfies the predicate"
key = ["bid", "key"]
inputs = ["sat_{attribute}"]
params = ["attribute"]
columns = ["bid", "key", "must", "share"]
why = "The keys of a tuple whose cell is bucketed are the values of its bucket."
#}
{% import "_macros/predicates.sql" as predicates %}
{% set a = attribute %}
SELECT j.bid, j.value AS key, j.n = j.size AS must, j.n / j.size AS share
FROM (
    SELECT
        x.{{ col(a.name, "bid") }} AS bid,
        x.{{ col(a.name, "value") }} AS value,
        x.{{ col(a.name, "n") }} AS n,
        x.{{ col(a.name, "size") }} AS size,
        {{ predicates.holds(a) }} AS holds
    FROM (
        SELECT
            s.value AS {{ col(a.name) }},
            s.value AS {{ col(a.name, "value") }},
            s.bid AS {{ col(a.name, "bid") }},
            s.n AS {{ col(a.name, "n") }},
            sum(s.n) OVER (PARTITION BY s.bid) AS {{ col(a.name, "size") }}
        FROM {{ rel("sat", a.name) }} AS s
    ) AS x
) AS j
WHERE j.holds
