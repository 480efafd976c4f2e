{#
relation = "groups"
grain = "one row per local equivalence group, ordered by gid"
key = ["gid"]
inputs = ["group_extents", "group_labels", "group_roots", "root_forms", "quasi_domain_{ordered}", "group_sets_{unordered}"]
params = ["attributes"]
columns = ["gid", "size", "{attribute}_form", "{ordered}_lo", "{ordered}_hi", "{unordered}_set"]
paper = "Definition 9 (local equivalence group)"
why = "What all tuples of a group show: a range, a set, or nothing where the cell is bucketed (S) or withheld (W)."
#}
SELECT
    CAST(group_labels.gid AS BIGINT) AS gid,
    group_extents.size
{% for a in attributes %}
    , CASE root_forms.{{ col(a.name, "letter") }} WHEN 'N' THEN 'Q' ELSE root_forms.{{ col(a.name, "letter") }} END
        AS {{ col(a.name, "form") }}
{% if a.ordered %}
    , {{ col(a.name, "lowest") }}.value AS {{ col(a.name, "lo") }}
    , {{ col(a.name, "highest") }}.value AS {{ col(a.name, "hi") }}
{% else %}
    , CASE root_forms.{{ col(a.name, "letter") }} WHEN 'Q' THEN {{ col(a.name, "sets") }}.shown
        WHEN 'N' THEN [CAST(NULL AS {{ a.type }})] END AS {{ col(a.name, "set") }}
{% endif %}
{% endfor %}
FROM {{ rel("group_extents") }} AS group_extents
JOIN {{ rel("group_labels") }} AS group_labels ON group_labels.group_id = group_extents.group_id
JOIN {{ rel("group_roots") }} AS group_roots ON group_roots.group_id = group_extents.group_id
JOIN {{ rel("root_forms") }} AS root_forms ON root_forms.root_id = group_roots.root_id
{% for a in attributes %}
{% if a.ordered %}
LEFT JOIN {{ rel("quasi_domain", a.name) }} AS {{ col(a.name, "lowest") }}
    ON {{ col(a.name, "lowest") }}.code = group_extents.{{ col(a.name, "low") }} AND root_forms.{{ col(a.name, "letter") }} = 'Q'
LEFT JOIN {{ rel("quasi_domain", a.name) }} AS {{ col(a.name, "highest") }}
    ON {{ col(a.name, "highest") }}.code = group_extents.{{ col(a.name, "high") }} AND root_forms.{{ col(a.name, "letter") }} = 'Q'
{% else %}
LEFT JOIN {{ rel("group_sets", a.name) }} AS {{ col(a.name, "sets") }}
    ON {{ col(a.name, "sets") }}.members = group_extents.{{ col(a.name, "members") }}
{% endif %}
{% endfor %}
ORDER BY gid
