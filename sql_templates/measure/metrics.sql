{#
relation = "metrics"
grain = "one row for the release"
key = []
inputs = ["group_extents", "domain_scales", "quasi_domain_{ordered}", "group_sets_{unordered}"]
params = ["attributes"]
columns = ["groups", "c_dm", "{attribute}_ncp"]
paper = "C_DM = sum of |LEG|^2; NCP per attribute, section 3.2.2"
why = "A group with one single value costs nothing; withheld and suppressed cells are added by the caller."
#}
SELECT
    count(*) AS groups,
    CAST(sum(size * size) AS BIGINT) AS c_dm
{% for a in attributes %}
{% if a.ordered %}
    , coalesce(sum(size * ({{ col(a.name, "highest") }}.position - {{ col(a.name, "lowest") }}.position)
        / nullif(domain_scales.{{ col(a.name, "scale") }}, 0)), 0) AS {{ col(a.name, "ncp") }}
{% else %}
    , coalesce(sum(CASE WHEN {{ col(a.name, "sets") }}.values > 1
        THEN size * {{ col(a.name, "sets") }}.values / (domain_scales.{{ col(a.name, "scale") }} + 1) END), 0)
        AS {{ col(a.name, "ncp") }}
{% endif %}
{% endfor %}
FROM {{ rel("group_extents") }} AS group_extents
{% if attributes %}
CROSS JOIN {{ rel("domain_scales") }} AS domain_scales
{% endif %}
{% for a in attributes %}
{% if a.ordered %}
LEFT JOIN {{ rel("quasi_domain", a.name) }} AS {{ col(a.name, "lowest") }}
    ON {{ col(a.name, "lowest") }}.code = group_extents.{{ col(a.name, "low") }}
LEFT JOIN {{ rel("quasi_domain", a.name) }} AS {{ col(a.name, "highest") }}
    ON {{ col(a.name, "highest") }}.code = group_extents.{{ col(a.name, "high") }}
{% else %}
LEFT JOIN {{ rel("group_sets", a.name) }} AS {{ col(a.name, "sets") }}
    ON {{ col(a.name, "sets") }}.members = group_extents.{{ col(a.name, "members") }}
{% endif %}
{% endfor %}
