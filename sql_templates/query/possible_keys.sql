{#
relation = "possible_keys"
grain = "one row per value that a released table shows of an attribute, or that is declared"
key = ["value"]
inputs = ["domain_{domained}", "sat_{sensitive}", "tuples"]
params = ["attribute", "own", "most"]
columns = ["value", "text"]
why = "The groups that an answer can have: values that the release lists. Those that the attribute's own condition rules out are no groups."
#}
SELECT value, CAST(value AS VARCHAR) AS text
FROM (
{% if attribute.role == "insensitive" %}
    SELECT DISTINCT {{ col(attribute.name) }} AS value FROM {{ rel("tuples") }}
{% elif attribute.role == "sensitive" %}
    SELECT DISTINCT value FROM {{ rel("sat", attribute.name) }}
{% elif attribute.words %}
    SELECT unnest([{% for word in attribute.words %}{{ lit(word) }}{{ comma(loop.last) }}{% endfor %}]) AS value
{% else %}
    SELECT DISTINCT value FROM {{ rel("domain", attribute.name) }}
{% endif %}
) AS listed
WHERE value IS NOT NULL{% if own %} AND ({{ own.sql }}){% endif %}

ORDER BY value
LIMIT {{ most }}
