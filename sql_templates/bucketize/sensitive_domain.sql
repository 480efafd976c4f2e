{#
relation = "sensitive_domain_{attribute}"
grain = "one row per distinct bucketed value of the attribute; NULL is a value like any other, the last"
key = ["code"]
inputs = ["sensitive_rows_{attribute}"]
params = ["attribute"]
columns = ["code", "value", "tuples"]
paper = "Algorithm 2, line 1: value_number"
why = "The histogram on which buckets are planned."
#}
SELECT
{% if attribute.words %}
    CAST(row_number() OVER (ORDER BY list_position([{% for word in attribute.words %}{{ lit(word) }}{{ comma(loop.last) }}{% endfor %}], value) NULLS LAST) - 1 AS INTEGER) AS code,
{% else %}
    CAST(row_number() OVER (ORDER BY value NULLS LAST) - 1 AS INTEGER) AS code,
{% endif %}
    value,
    tuples
FROM (
    SELECT value, count(*) AS tuples
    FROM {{ rel("sensitive_rows", attribute.name) }}
    GROUP BY value
) AS value_number
