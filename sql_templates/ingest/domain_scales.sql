{#
relation = "domain_scales"
grain = "one row for the table"
key = []
inputs = ["domain_scales_part_{part}"]
params = ["attributes", "parts"]
columns = ["{attribute}_scale", "{ordered}_positions", "{ordered}_entries", "{hierarchical}_leaves", "{hierarchical}_level_{height}", "{hierarchical}_leaves_{height}"]
why = "All parts side by side. DuckDB plans a statement of hundreds of joins in minutes; wide tables are therefore made in parts."
#}
SELECT
{% for a in attributes %}
    {{ col(a.name, "scale") }}{{ comma(loop.last) }}
{% endfor %}
{% for a in attributes if a.ordered %}
    , {{ col(a.name, "positions") }}
{% endfor %}
{% for a in attributes if a.ordered %}
    , {{ col(a.name, "entries") }}
{% endfor %}
{% for a in attributes if a.hierarchy %}
    , {{ col(a.name, "leaves") }}
{% for level in a.hierarchy.levels %}
    , {{ col(a.name, "level_" ~ level) }}
    , {{ col(a.name, "leaves_" ~ level) }}
{% endfor %}
{% endfor %}
FROM {{ rel("domain_scales_part", parts[0]) }}
{% for part in parts[1:] %}
CROSS JOIN {{ rel("domain_scales_part", part) }}
{% endfor %}
