{#
relation = "quasi_domain_{attribute}"
grain = "one row per distinct value of the attribute that is a quasi-identifier for somebody"
key = ["code"]
inputs = ["source_rows", "hierarchy_leaves_{hierarchical}"]
params = ["attribute"]
columns = ["code", "value", "position"]
why = "Dense codes in value order; with a hierarchy in the order of its leaves, depth first. Flagged values are not read, not even for the domain's range. Positions are exact numbers, so that their differences are."
#}
{% import "_macros/dialect.sql" as dialect %}
WITH quasi_values AS (
    SELECT DISTINCT {{ col(attribute.name, "value") }} AS value
    FROM {{ rel("source_rows") }}
    WHERE {{ col(attribute.name, "value") }} IS NOT NULL
{% if attribute.flag %}
        AND NOT {{ col(attribute.name, "flagged") }}
{% endif %}
),
coded_values AS (
    SELECT
{% if attribute.words %}
        list_position([{% for word in attribute.words %}{{ lit(word) }}{{ comma(loop.last) }}{% endfor %}], value) - 1 AS place,
        row_number() OVER (ORDER BY place) - 1 AS code,
{% elif attribute.hierarchy %}
        leaf AS place,
        row_number() OVER (ORDER BY leaf) - 1 AS code,
{% else %}
        row_number() OVER (ORDER BY value) - 1 AS code,
{% endif %}
        value
    FROM quasi_values
{% if attribute.hierarchy %}
    JOIN {{ rel("hierarchy_leaves", attribute.name) }} USING (value)
{% endif %}
)
SELECT
    CAST(code AS INTEGER) AS code,
    value,
{% if attribute.words or attribute.hierarchy %}
    CAST(place AS DOUBLE) AS position
{% elif attribute.measured %}
    {{ dialect.position(col("value"), attribute) }} AS position
{% else %}
    CAST(code AS DOUBLE) AS position
{% endif %}
FROM coded_values
