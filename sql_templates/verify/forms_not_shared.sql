{#
relation = "forms_not_shared"
grain = "one row per violating tuple"
key = ["rid"]
inputs = ["tuples", "groups"]
params = ["attributes"]
columns = ["rid", "gid", "attribute"]
paper = "Definition 9: all tuples of a group show the same forms"
why = "A cell has a bucket exactly where its group says S; a sensitive attribute has one always. Attributes are numbered from 0 in policy order."
#}
SELECT * FROM (
    SELECT
        cells.rid,
        cells.gid,
        CASE
{% for a in attributes %}
{% if a.role == "sensitive" %}
            WHEN cells.{{ col(a.name, "bid") }} IS NULL THEN {{ loop.index0 }}
{% elif a.role == "semi-sensitive" %}
            WHEN (shown.{{ col(a.name, "form") }} = 'S') <> (cells.{{ col(a.name, "bid") }} IS NOT NULL) THEN {{ loop.index0 }}
{% endif %}
{% endfor %}
        END AS attribute
    FROM {{ rel("tuples") }} AS cells
    JOIN {{ rel("groups") }} AS shown ON shown.gid = cells.gid
) AS judged
WHERE attribute IS NOT NULL
