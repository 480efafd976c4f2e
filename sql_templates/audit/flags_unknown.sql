{#
relation = "flags_unknown"
grain = "one row for the attribute"
key = []
inputs = ["tuples", "source_rows", "groups", "sat", "shown_groups"]
params = ["attribute", "others", "sampled"]
columns = ["people", "average", "worst"]
why = "Someone who knows unflagged values but not who flagged what matches every group whose ranges and sets fit, whatever its forms. The belief in the person's true value: the share of matching rows that show it, spread over what they show beside it; bucketed rows count with the value's frequency."
#}
{% from "_macros/places.sql" import place %}
{% macro fits(a) -%}
{% set value = col("people") ~ dot ~ col(a.name, "value") %}
{% if a.ordered -%}
({{ place(a, value) }} BETWEEN {{ place(a, col("shown") ~ dot ~ col(a.name, "lo")) }} AND {{ place(a, col("shown") ~ dot ~ col(a.name, "hi")) }}
            OR {{ value }} IS NULL AND shown.{{ col(a.name, "lo") }} IS NULL)
{%- else -%}
(list_contains(shown.{{ col(a.name, "set") }}, {{ value }}) OR {{ value }} IS NULL AND shown.{{ col(a.name, "set") }}[1] IS NULL)
{%- endif %}
{%- endmacro %}
WITH people AS (
    SELECT cells.rid, truth.*
    FROM {{ rel("tuples") }} AS cells
    JOIN {{ rel("source_rows") }} AS truth ON truth.rowid + 1 = cells.rid
    WHERE cells.rid <= {{ sampled }} AND cells.{{ col(attribute.name, "bid") }} IS NOT NULL
),
frequencies AS (
    SELECT value, sum(n) / sum(sum(n)) OVER () AS share
    FROM {{ rel("sat") }}
    GROUP BY value
),
matching AS (
    SELECT
        people.rid,
        any_value(people.{{ col(attribute.name, "value") }}) AS secret,
        sum(shown.size) AS matching_rows,
        sum(shown.size) FILTER (WHERE shown.{{ col(attribute.name, "form") }} = 'S') AS bucketed,
        sum(shown.size / widths.width) FILTER (WHERE shown.{{ col(attribute.name, "form") }} = 'Q' AND {{ fits(attribute) }}) AS showing
    FROM people
    JOIN {{ rel("groups") }} AS shown ON TRUE
{% for a in others %}
        AND (shown.{{ col(a.name, "form") }} <> 'Q'{% if a.flag is not none %} OR people.{{ col(a.name, "flagged") }}{% endif %} OR {{ fits(a) }})
{% endfor %}
    JOIN {{ rel("shown_groups") }} AS widths ON widths.gid = shown.gid
    GROUP BY people.rid
),
beliefs AS (
    SELECT (coalesce(showing, 0) + coalesce(bucketed, 0) * coalesce(share, 0)) / matching_rows AS belief
    FROM matching
    LEFT JOIN frequencies ON frequencies.value IS NOT DISTINCT FROM matching.secret
)
SELECT count(*) AS people, avg(belief) AS average, max(belief) AS worst
FROM beliefs
