{#
relation = "domain_scales"
grain = "one row for the table"
key = []
inputs = ["quasi_domain_{attribute}"]
params = ["attributes"]
columns = ["{attribute}_scale"]
paper = "NCP: range(A) of an ordered attribute; |A| - 1 of an unordered one, for widths"
why = "What widths are divided by, kept in a relation so that no value of the table stands in a statement."
#}
SELECT
{% for a in attributes %}
{% if a.ordered %}
    (SELECT max(position) - min(position) FROM {{ rel("quasi_domain", a.name) }}) AS {{ col(a.name, "scale") }}{{ comma(loop.last) }}
{% else %}
    (SELECT CAST(count(*) - 1 AS DOUBLE) FROM {{ rel("quasi_domain", a.name) }}) AS {{ col(a.name, "scale") }}{{ comma(loop.last) }}
{% endif %}
{% endfor %}
