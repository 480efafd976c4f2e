{#
relation = "lgb_buckets_{attribute}"
grain = "one row per bucket"
key = ["bid"]
inputs = ["sat_{attribute}"]
params = ["attribute", "numeric"]
columns = ["bid", "free", "size", "holding", "may", "must", "share", "entries", "below", "above"]
why = "How many of the bucket's values satisfy the predicate. Of numbers also those that do, ascending, each as often as it occurs (entries), and how many of them are below and above 0."
#}
{% import "_macros/predicates.sql" as predicates %}
{% set a = attribute %}
WITH judged AS (
    SELECT
        x.{{ col(a.name, "bid") }} AS bid,
        x.{{ col(a.name, "value") }} AS value,
        x.{{ col(a.name, "n") }} AS n,
        {{ predicates.free(a) }} AS free,
        {{ predicates.holds(a) }} AS holds
    FROM (
        SELECT
            s.value AS {{ col(a.name) }},
            s.value AS {{ col(a.name, "value") }},
            s.bid AS {{ col(a.name, "bid") }},
            s.n AS {{ col(a.name, "n") }}
        FROM {{ rel("sat", a.name) }} AS s
    ) AS x
)
SELECT
    j.bid,
    j.free,
    CAST(sum(j.n) AS BIGINT) AS size,
    CAST(coalesce(sum(j.n) FILTER (WHERE j.holds), 0) AS BIGINT) AS holding,
    bool_or(j.holds) AS may,
    bool_and(j.holds) AS must,
    coalesce(sum(j.n) FILTER (WHERE j.holds), 0) / sum(j.n) AS share
{% if numeric %}
    , coalesce(flatten(list(repeat([j.value], j.n) ORDER BY j.value)
        FILTER (WHERE j.holds AND j.value IS NOT NULL)), []) AS entries
    , CAST(coalesce(sum(j.n) FILTER (WHERE j.holds AND j.value < 0), 0) AS BIGINT) AS below
    , CAST(coalesce(sum(j.n) FILTER (WHERE j.holds AND j.value > 0), 0) AS BIGINT) AS above
{% endif %}
FROM judged AS j
GROUP BY j.bid, j.free
