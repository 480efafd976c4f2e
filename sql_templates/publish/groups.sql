{#
relation = "groups"
grain = "one row per local equivalence group, ordered by gid"
key = ["gid"]
inputs = ["group_ranges", "group_labels", "group_roots", "root_forms", "group_members_{part}"]
params = ["attributes", "parts"]
columns = ["gid", "size", "{attribute}_form", "{ordered}_lo", "{ordered}_hi", "{unordered}_set", "{hierarchical}_node"]
paper = "Definition 9 (local equivalence group)"
why = "What all tuples of a group show: a range, a set (with a hierarchy the node above it), or nothing where the cell is bucketed (S) or withheld (W)."
#}
SELECT
    CAST(group_labels.gid AS BIGINT) AS gid,
    group_ranges.size
{% for a in attributes %}
    , CASE root_forms.{{ col(a.name, "letter") }} WHEN 'N' THEN 'Q' ELSE root_forms.{{ col(a.name, "letter") }} END
        AS {{ col(a.name, "form") }}
{% if a.ordered %}
    , CASE WHEN root_forms.{{ col(a.name, "letter") }} = 'Q'
        THEN group_ranges.{{ col(a.name, "least") }} END AS {{ col(a.name, "lo") }}
    , CASE WHEN root_forms.{{ col(a.name, "letter") }} = 'Q'
        THEN group_ranges.{{ col(a.name, "most") }} END AS {{ col(a.name, "hi") }}
{% else %}
    , CASE root_forms.{{ col(a.name, "letter") }} WHEN 'Q' THEN {{ col(a.name, "shown") }}
        WHEN 'N' THEN [CAST(NULL AS {{ a.type }})] END AS {{ col(a.name, "set") }}
{% if a.hierarchy %}
    , CASE WHEN root_forms.{{ col(a.name, "letter") }} = 'Q' THEN {{ col(a.name, "name") }} END AS {{ col(a.name, "node") }}
{% endif %}
{% endif %}
{% endfor %}
FROM {{ rel("group_ranges") }} AS group_ranges
JOIN {{ rel("group_labels") }} AS group_labels ON group_labels.group_id = group_ranges.group_id
JOIN {{ rel("group_roots") }} AS group_roots ON group_roots.group_id = group_ranges.group_id
JOIN {{ rel("root_forms") }} AS root_forms ON root_forms.root_id = group_roots.root_id
{% for part in parts %}
JOIN {{ rel("group_members", part) }} ON {{ rel("group_members", part) }}.group_id = group_ranges.group_id
{% endfor %}
ORDER BY gid
