{#
relation = "lgb_averages"
grain = "one row per key of the units"
key = ["key", "other_values"]
inputs = []
params = []
columns = ["key", "lower", "estimate", "upper", "lower_expected", "upper_expected", "n_must", "n_may", "other_values"]
why = "The least average starts from the least values that must count and adds the least ones that may, in order: the extreme is one of the averages on the way. The greatest mirrors it."
#}
{% set sides = (("lower", "lows", "least", "most"), ("upper", "highs", "least", "most"),
    ("lower_expected", "lows", "floor", "ceiling"), ("upper_expected", "highs", "floor", "ceiling")) %}
{% macro sure(list, least) -%}
{% if list == "lows" %}u.lows[1 : u.{{ col(least) }}]{% else %}u.highs[len(u.highs) - u.{{ col(least) }} + 1 : len(u.highs)]{% endif %}
{%- endmacro %}
{% macro more(list, least, most) -%}
{% if list == "lows" %}u.lows[u.{{ col(least) }} + 1 : u.{{ col(most) }}]
{%- else %}u.highs[len(u.highs) - u.{{ col(most) }} + 1 : len(u.highs) - u.{{ col(least) }}]{% endif %}
{%- endmacro %}
WITH units AS (
    SELECT
        u.key, u.other, u.bounded, u.estimated_sum, u.estimated_count, u.n_must, u.n_may,
        unnest([
{% for side, list, least, most in sides %}
            {'side': {{ lit(side) }}, 'sign': {{ 1 if list == "lows" else -1 }},
             'sure': {{ sure(list, least) }}, 'more': {{ more(list, least, most) }}}{{ comma(loop.last) }}
{% endfor %}
        ], max_depth := 2)
    FROM (SELECT unnest({{ col("units") }}, max_depth := 2)) AS u
),
{# What must count comes first, at once; what may count follows value by value. #}
steps AS (
    SELECT
        u.key, u.other, u.side, TRUE AS sure, CAST(0 AS DOUBLE) AS place,
        coalesce(sum(list_sum(u.sure)), 0) AS total, sum(len(u.sure)) AS number, bool_and(u.bounded) AS bounded,
        sum(u.estimated_sum) / nullif(sum(u.estimated_count), 0) AS estimate,
        CAST(sum(u.n_must) AS BIGINT) AS n_must, CAST(sum(u.n_may) AS BIGINT) AS n_may
    FROM units AS u
    GROUP BY u.key, u.other, u.side
    UNION ALL
    SELECT v.key, v.other, v.side, FALSE, v.sign * CAST(v.value AS DOUBLE), v.value, 1, NULL, NULL, NULL, NULL
    FROM (SELECT u.key, u.other, u.side, u.sign, unnest(u.more) AS value FROM units AS u) AS v
),
averages AS (
    SELECT
        s.*,
        CAST(sum(s.total) OVER onwards AS DOUBLE) / nullif(sum(s.number) OVER onwards, 0) AS average
    FROM steps AS s
    WINDOW onwards AS (PARTITION BY s.key, s.other, s.side ORDER BY s.sure DESC, s.place ROWS UNBOUNDED PRECEDING)
)
SELECT
    a.key,
    CASE WHEN bool_and(a.bounded) THEN min(a.average) FILTER (WHERE a.side = 'lower') END AS lower,
    max(a.estimate) AS estimate,
    CASE WHEN bool_and(a.bounded) THEN max(a.average) FILTER (WHERE a.side = 'upper') END AS upper,
    CASE WHEN bool_and(a.bounded) THEN min(a.average) FILTER (WHERE a.side = 'lower_expected') END AS lower_expected,
    CASE WHEN bool_and(a.bounded) THEN max(a.average) FILTER (WHERE a.side = 'upper_expected') END AS upper_expected,
    max(a.n_must) AS n_must,
    max(a.n_may) AS n_may,
    a.other AS other_values
FROM averages AS a
GROUP BY a.key, a.other
