{#
relation = "lgb_count"
grain = "one row per key, or one"
key = []
inputs = ["lgb_tuples", "lgb_tuples_by_{key}"]
params = ["key", "arguments"]
columns = ["{key}", "lower", "estimate", "upper", "lower_expected", "upper_expected", "n_must", "n_may", "other_values"]
why = "How many tuples satisfy all predicates: those that must, up to those that may."
#}
SELECT
{% if key %}
    t.tuple.key AS {{ col(key.name) }},
{% endif %}
    count(*) FILTER (WHERE t.tuple.must) AS lower,
    coalesce(sum(t.tuple.share), 0) AS estimate,
    count(*) AS upper,
    CAST(floor(round(coalesce(sum(t.tuple.uniform), 0), 9)) AS BIGINT) AS lower_expected,
    CAST(ceil(round(coalesce(sum(t.tuple.uniform), 0), 9)) AS BIGINT) AS upper_expected,
    count(*) FILTER (WHERE t.tuple.must) AS n_must,
    count(*) AS n_may
{% if key %}
    , t.tuple.other AS other_values
FROM {{ rel("lgb_tuples_by", key.name) }}({{ arguments }}) AS t
GROUP BY t.tuple.key, t.tuple.other
ORDER BY t.tuple.other, t.tuple.key NULLS LAST
{% else %}
FROM {{ rel("lgb_tuples") }}({{ arguments }}) AS t
{% endif %}
