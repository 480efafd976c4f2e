{#
relation = "group_ranges"
grain = "one row per local equivalence group"
key = ["group_id"]
inputs = ["group_extents", "domain_scales"]
params = ["attributes"]
columns = ["group_id", "size", "{ordered}_least", "{ordered}_most", "{ordered}_span", "{hierarchical}_node", "{hierarchical}_span"]
paper = "Algorithm 3, line 25: generalize; NCP of a numeric attribute, and of one with a hierarchy"
why = "The ends of each range, or the lowest common ancestor, and the share of the domain; meaningless where the form says that a group shows none. A statement of its own: joined further, the lists of a large domain would be copied row by row."
#}
{% import "_macros/codes.sql" as codes with context %}
SELECT
    group_extents.group_id,
    group_extents.size
{% for a in attributes if a.ordered %}
    , domain_scales.{{ col(a.name, "entries") }}[group_extents.{{ col(a.name, "low") }} + 1] AS {{ col(a.name, "least") }}
    , domain_scales.{{ col(a.name, "entries") }}[group_extents.{{ col(a.name, "high") }} + 1] AS {{ col(a.name, "most") }}
    , coalesce(CAST(domain_scales.{{ col(a.name, "positions") }}[group_extents.{{ col(a.name, "high") }} + 1]
        - domain_scales.{{ col(a.name, "positions") }}[group_extents.{{ col(a.name, "low") }} + 1] AS DOUBLE)
        / nullif(domain_scales.{{ col(a.name, "scale") }}, 0), 0) AS {{ col(a.name, "span") }}
{% endfor %}
{% for a in attributes if a.hierarchy %}
    , {{ codes.hierarchy_node(a, "group_extents." ~ col(a.name, "low"), "group_extents." ~ col(a.name, "high")) }} AS {{ col(a.name, "node") }}
    , {{ codes.hierarchy_cost(a, "group_extents." ~ col(a.name, "low"), "group_extents." ~ col(a.name, "high")) }} AS {{ col(a.name, "span") }}
{% endfor %}
FROM {{ rel("group_extents") }} AS group_extents
{% if attributes %}
CROSS JOIN {{ rel("domain_scales") }} AS domain_scales
{% endif %}
