{#
relation = "domain_weights_wrong"
grain = "one row for a domain table whose weights are not shares of the released tuples"
key = []
inputs = ["helper", "groups", "sat"]
params = ["attribute"]
columns = ["too_small", "all_weights_wrong"]
why = "A weight estimates how many tuples have a value. Tuples of buckets that list it, and of groups that show it alone, surely have it; and all weights together are all tuples that show a value. Weights are rounded to the sixth digit."
#}
{% macro shows_one() -%}
{% if attribute.ordered %}{{ col(attribute.name, "lo") }} = {{ col(attribute.name, "hi") }}{% else %}len({{ col(attribute.name, "set") }}) = 1{% endif %}
{%- endmacro %}
{% macro first() -%}
{% if attribute.ordered %}{{ col(attribute.name, "lo") }}{% else %}{{ col(attribute.name, "set") }}[1]{% endif %}
{%- endmacro %}
WITH tuples AS (
    SELECT {{ first() }} AS value, size AS tuples, {{ shows_one() }} AS certain
    FROM {{ rel("groups") }}
    WHERE {{ first() }} IS NOT NULL
{% if attribute.principle %}
    UNION ALL
    SELECT value, n, TRUE FROM {{ rel("sat") }} WHERE value IS NOT NULL
{% endif %}
)
SELECT too_small, all_weights_wrong
FROM (
    SELECT
        count(*) FILTER (WHERE helper.weight < known.tuples - 0.00001) AS too_small,
        abs(coalesce(sum(helper.weight), 0) - (SELECT coalesce(sum(tuples), 0) FROM tuples))
            > 0.00001 * count(*) + coalesce(sum(helper.weight), 0) / 1000000000 AS all_weights_wrong
    FROM {{ rel("helper") }} AS helper
    LEFT JOIN (
        SELECT value, sum(tuples) AS tuples FROM tuples WHERE certain GROUP BY value
    ) AS known ON known.value = helper.value
    WHERE NOT helper.declared
) AS compared
WHERE too_small > 0 OR all_weights_wrong
