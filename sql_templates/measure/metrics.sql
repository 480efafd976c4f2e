{#
relation = "metrics"
grain = "one row for the release"
key = []
inputs = ["group_ranges", "domain_scales", "group_members_{part}"]
params = ["attributes", "parts"]
columns = ["groups", "c_dm", "{attribute}_ncp"]
paper = "C_DM = sum of |LEG|^2; NCP per attribute, section 3.2.2"
why = "A group with one single value costs nothing; withheld and suppressed cells are added by the caller."
#}
SELECT
    count(*) AS groups,
    CAST(sum(size * size) AS BIGINT) AS c_dm
{% for a in attributes %}
{% if a.ordered or a.hierarchy %}
    , sum(size * {{ col(a.name, "span") }}) AS {{ col(a.name, "ncp") }}
{% else %}
    , coalesce(sum(CASE WHEN {{ col(a.name, "values") }} > 1
        THEN size * {{ col(a.name, "values") }} / (domain_scales.{{ col(a.name, "scale") }} + 1) END), 0)
        AS {{ col(a.name, "ncp") }}
{% endif %}
{% endfor %}
FROM {{ rel("group_ranges") }} AS group_ranges
{% if parts %}
CROSS JOIN {{ rel("domain_scales") }} AS domain_scales
{% endif %}
{% for part in parts %}
JOIN {{ rel("group_members", part) }} ON {{ rel("group_members", part) }}.group_id = group_ranges.group_id
{% endfor %}
