{#
relation = "domain_scales_part_{part}"
grain = "one row for the table, for some of its attributes"
key = []
inputs = ["quasi_domain_{attribute}", "hierarchy_scales_{hierarchical}"]
params = ["attributes"]
columns = ["{attribute}_scale", "{ordered}_positions", "{ordered}_entries", "{hierarchical}_leaves", "{hierarchical}_level_{height}", "{hierarchical}_leaves_{height}"]
paper = "NCP: range(A) of an ordered attribute; |A| - 1 of an unordered one, for widths"
why = "What widths are divided by, and positions and values by code as lists: a look-up in a list needs no join, and no value of the table stands in a statement."
#}
SELECT
{% for a in attributes %}
{% if a.ordered %}
    (SELECT CAST(max(position) - min(position) AS DOUBLE) FROM {{ rel("quasi_domain", a.name) }}) AS {{ col(a.name, "scale") }}{{ comma(loop.last) }}
{% else %}
    (SELECT CAST(count(*) - 1 AS DOUBLE) FROM {{ rel("quasi_domain", a.name) }}) AS {{ col(a.name, "scale") }}{{ comma(loop.last) }}
{% endif %}
{% endfor %}
{% for a in attributes if a.ordered %}
    , (SELECT list(position ORDER BY code) FROM {{ rel("quasi_domain", a.name) }}) AS {{ col(a.name, "positions") }}
{% endfor %}
{% for a in attributes if a.ordered %}
    , (SELECT list(value ORDER BY code) FROM {{ rel("quasi_domain", a.name) }}) AS {{ col(a.name, "entries") }}
{% endfor %}
{% for a in attributes if a.hierarchy %}
    , {{ col(a.name, "leaves") }}
{% for level in a.hierarchy.levels %}
    , {{ col(a.name, "level_" ~ level) }}
    , {{ col(a.name, "leaves_" ~ level) }}
{% endfor %}
{% endfor %}
{% for a in attributes if a.hierarchy %}
{% if loop.first %}
FROM {{ rel("hierarchy_scales", a.name) }}
{% else %}
CROSS JOIN {{ rel("hierarchy_scales", a.name) }}
{% endif %}
{% endfor %}
