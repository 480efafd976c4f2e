{#
relation = "forms_not_shared"
grain = "one row per violating group"
key = ["gid"]
inputs = ["tuple_counts", "groups"]
params = ["attributes"]
columns = ["gid", "attribute"]
paper = "Definition 9: all tuples of a group show the same forms"
why = "All tuples of a group have a bucket where the group says S, none where it does not; a sensitive attribute has one always. Attributes are numbered from 0 in policy order."
#}
SELECT * FROM (
    SELECT
        counts.gid,
        CASE
{% for a in attributes %}
{% if a.role == "sensitive" %}
            WHEN counts.{{ col(a.name, "buckets") }} <> counts.tuples THEN {{ loop.index0 }}
{% elif a.role == "semi-sensitive" %}
            WHEN counts.{{ col(a.name, "buckets") }}
                <> CASE WHEN shown.{{ col(a.name, "form") }} = 'S' THEN counts.tuples ELSE 0 END THEN {{ loop.index0 }}
{% endif %}
{% endfor %}
        END AS attribute
    FROM {{ rel("tuple_counts") }} AS counts
    JOIN {{ rel("groups") }} AS shown ON shown.gid = counts.gid
) AS judged
WHERE attribute IS NOT NULL
