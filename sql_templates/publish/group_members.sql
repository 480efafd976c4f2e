{#
relation = "group_members_{part}"
grain = "one row per local equivalence group, for some of the unordered attributes"
key = ["group_id"]
inputs = ["group_extents", "group_ranges", "group_sets_{flat}", "node_sets_{hierarchical}"]
params = ["attributes"]
columns = ["group_id", "{attribute}_shown", "{flat}_values", "{hierarchical}_name"]
paper = "Algorithm 3, line 25: generalize"
why = "Each group with the sets and nodes it shows. DuckDB plans a statement of hundreds of joins in minutes; wide tables are therefore made in parts."
#}
SELECT
    group_extents.group_id
{% for a in attributes %}
    , {{ col(a.name, "sets") }}.shown AS {{ col(a.name, "shown") }}
{% if a.hierarchy %}
    , {{ col(a.name, "sets") }}.name AS {{ col(a.name, "name") }}
{% else %}
    , {{ col(a.name, "sets") }}.values AS {{ col(a.name, "values") }}
{% endif %}
{% endfor %}
FROM {{ rel("group_extents") }} AS group_extents
JOIN {{ rel("group_ranges") }} AS group_ranges ON group_ranges.group_id = group_extents.group_id
{% for a in attributes %}
{% if a.hierarchy %}
LEFT JOIN {{ rel("node_sets", a.name) }} AS {{ col(a.name, "sets") }}
    ON {{ col(a.name, "sets") }}.node = group_ranges.{{ col(a.name, "node") }}
{% else %}
LEFT JOIN {{ rel("group_sets", a.name) }} AS {{ col(a.name, "sets") }}
    ON {{ col(a.name, "sets") }}.members = group_extents.{{ col(a.name, "members") }}
{% endif %}
{% endfor %}
