{#
relation = "group_members_{part}"
grain = "one row per local equivalence group, for some of the unordered attributes"
key = ["group_id"]
inputs = ["group_extents", "group_sets_{attribute}"]
params = ["attributes"]
columns = ["group_id", "{attribute}_shown", "{attribute}_values"]
paper = "Algorithm 3, line 25: generalize"
why = "Each group with the sets it shows. DuckDB plans a statement of hundreds of joins in minutes; wide tables are therefore made in parts."
#}
SELECT
    group_extents.group_id
{% for a in attributes %}
    , {{ col(a.name, "sets") }}.shown AS {{ col(a.name, "shown") }}
    , {{ col(a.name, "sets") }}.values AS {{ col(a.name, "values") }}
{% endfor %}
FROM {{ rel("group_extents") }} AS group_extents
{% for a in attributes %}
LEFT JOIN {{ rel("group_sets", a.name) }} AS {{ col(a.name, "sets") }}
    ON {{ col(a.name, "sets") }}.members = group_extents.{{ col(a.name, "members") }}
{% endfor %}
