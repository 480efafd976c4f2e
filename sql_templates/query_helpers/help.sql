{#
relation = "help_{attribute}"
grain = "one row per bucket of a numeric attribute, ordered by bid"
key = ["bid"]
inputs = ["sat"]
params = ["sums", "repeated", "exact"]
columns = ["bid", "size", "entries", "low_sums", "high_sums"]
why = "Sums of the least and of the greatest values of a bucket, for bounds of answers: the i + 1st is that of i values. Lists are short (long ones: long/help), so that a sum is taken over a part of the list each time; they are sorted by bid before their sums make them wider. Where sums are exact, those of the greatest are the differences to the whole. A sum that a wide decimal cannot hold is NULL."
#}
{% set least %}entries[:i]{% endset %}
{% set greatest %}entries[len(entries) - i + 1:]{% endset %}
{% macro total(part) -%}
{% if exact -%}
coalesce(list_sum({{ part }}), 0)
{%- else -%}
TRY(CAST(CAST(coalesce(list_sum({{ part }}), 0) AS VARCHAR) AS {{ sums }}))
{%- endif %}
{%- endmacro %}
WITH buckets AS (
    SELECT
        bid,
        CAST(sum(n) AS BIGINT) AS size,
{% if repeated %}
        coalesce(list_sort(flatten(list(list_resize([value], n, value)) FILTER (WHERE value IS NOT NULL))), []) AS entries
{% else %}
        coalesce(list_sort(list(value) FILTER (WHERE value IS NOT NULL)), []) AS entries
{% endif %}
    FROM {{ rel("sat") }}
    GROUP BY bid
    ORDER BY bid
),
summed_buckets AS (
    SELECT
        *,
        CAST(list_transform(range(len(entries) + 1), lambda i: {{ total(least) }}) AS {{ sums }}[]) AS low_sums
    FROM buckets
)
SELECT
    bid,
    size,
    entries,
    low_sums,
{% if exact %}
    CAST(list_transform(list_reverse(low_sums), lambda part: low_sums[-1] - part) AS {{ sums }}[]) AS high_sums
{% else %}
    list_transform(range(len(entries) + 1), lambda i: {{ total(greatest) }}) AS high_sums
{% endif %}
FROM summed_buckets
