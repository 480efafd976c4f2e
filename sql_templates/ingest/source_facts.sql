{#
relation = "source_facts"
grain = "one row: counts of what no release may be made of"
key = []
inputs = ["source_rows"]
params = ["checks", "row_key", "unit_key"]
columns = ["tuples", "{check}", "row_keys", "unit_keys"]
why = "NULL flags, NaN, infinities, NULLs where the policy forbids them, values outside a listed order: counted, never shown."
#}
{% import "_macros/dialect.sql" as dialect %}
SELECT
    count(*) AS tuples
{% for check in checks %}
{% if check.kind == "null_flags" %}
    , count(*) FILTER (WHERE {{ col(check.attribute, "flagged") }} IS NULL) AS {{ col(check.attribute, check.kind) }}
{% elif check.kind == "not_finite" %}
    , count(*) FILTER (WHERE {{ dialect.not_finite(col(check.attribute, "value"), check.family) }})
        AS {{ col(check.attribute, check.kind) }}
{% elif check.kind == "null_values" %}
    , count(*) FILTER (WHERE {{ col(check.attribute, "value") }} IS NULL
        {% if check.flagged %}AND {{ col(check.attribute, "flagged") }}{% endif %}) AS {{ col(check.attribute, check.kind) }}
{% elif check.kind == "unlisted" %}
    , count(*) FILTER (WHERE NOT list_contains([{% for word in check.words %}{{ lit(word) }}{{ comma(loop.last) }}{% endfor %}],
        {{ col(check.attribute, "value") }})) AS {{ col(check.attribute, check.kind) }}
{% endif %}
{% endfor %}
{% if row_key %}
    , count(DISTINCT row_key) AS row_keys
{% endif %}
{% if unit_key %}
    , count(DISTINCT unit_key) AS unit_keys
{% endif %}
FROM {{ rel("source_rows") }}
