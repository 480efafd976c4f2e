{#
relation = "target_help"
grain = "one row per bucket of the target"
key = ["bid"]
inputs = ["sat_{attribute}"]
params = ["attribute", "own", "values_may_repeat", "sum_type"]
columns = ["bid", "size", "entries", "low_sums", "high_sums"]
paper = "Section 4.3: the help table"
why = "What help_<A> holds, made for the values that satisfy the target's own condition, or for a target that cannot be summed."
#}
{% set least %}entries[1:i]{% endset %}
{% set greatest %}entries[len(entries) - i + 1:len(entries)]{% endset %}
{% macro part(entries) %}{% if sum_type == "DOUBLE" %}CAST({{ entries }} AS DOUBLE[]){% else %}{{ entries }}{% endif %}{% endmacro %}
SELECT bid, size, entries,
{% if sum_type %}
    list_transform(range(0, len(entries) + 1), lambda i: CAST(coalesce(list_sum({{ part(least) }}), 0) AS {{ sum_type }})) AS low_sums,
    list_transform(range(0, len(entries) + 1), lambda i:
        CAST(coalesce(list_sum({{ part(greatest) }}), 0) AS {{ sum_type }})) AS high_sums
{% else %}
    NULL AS low_sums, NULL AS high_sums
{% endif %}
FROM (
    SELECT bid, count(*) AS size,
        coalesce(list(value ORDER BY value) FILTER (
            WHERE value IS NOT NULL{% if own %} AND coalesce(({{ own.sql }}), FALSE){% endif %}), []) AS entries
    FROM {% if values_may_repeat %}(SELECT bid, value, unnest(range(n)) AS copy FROM {{ rel("sat", attribute.name) }}){% else %}{{ rel("sat", attribute.name) }}{% endif %} AS occurrences
    GROUP BY bid
) AS buckets
