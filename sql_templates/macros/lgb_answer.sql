{#
relation = "lgb_answer"
grain = "one row per key, or one"
key = []
inputs = ["lgb_tuples", "lgb_tuples_by_{key}", "lgb_units_{target}", "lgb_sums", "lgb_averages", "lgb_least", "lgb_greatest"]
params = ["function", "target", "key", "arguments", "empty"]
columns = ["{key}", "lower", "estimate", "upper", "lower_expected", "upper_expected", "n_must", "n_may", "other_values"]
why = "A question put together: the tuples that may satisfy all predicates but the target's own, its units, the bounds over them. Macros hand relations on as lists of rows. Without a key there is one row, also of nothing."
#}
{% if key %}
SELECT a.key AS {{ col(key.name) }}, a.* EXCLUDE (key)
FROM {{ rel(function) }}((
    SELECT list(u.unit) FROM {{ rel("lgb_units", target.name) }}((
        SELECT list(t.tuple) FROM {{ rel("lgb_tuples_by", key.name) }}({{ arguments }}) AS t
    ), {{ col(target.name) }}) AS u
)) AS a
ORDER BY a.other_values, a.key NULLS LAST
{% else %}
SELECT
{% for figure in ("lower", "estimate", "upper", "lower_expected", "upper_expected") %}
    CASE WHEN a.n_may IS NULL THEN {{ empty }} ELSE a.{{ col(figure) }} END AS {{ col(figure) }},
{% endfor %}
    coalesce(a.n_must, 0) AS n_must,
    coalesce(a.n_may, 0) AS n_may
FROM (SELECT TRUE AS always) AS one
LEFT JOIN {{ rel(function) }}((
    SELECT list(u.unit) FROM {{ rel("lgb_units", target.name) }}((
        SELECT list(t.tuple) FROM {{ rel("lgb_tuples") }}({{ arguments }}) AS t
    ), {{ col(target.name) }}) AS u
)) AS a ON TRUE
{% endif %}
