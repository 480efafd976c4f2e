{#
relation = "malformed_groups"
grain = "one row per violating group"
key = ["gid"]
inputs = ["groups"]
params = ["attributes"]
columns = ["gid", "attribute"]
why = "A form is Q, S (semi-sensitive only) or W; only Q shows a range or a set, and shows one that is not empty. A NULL stands alone."
#}
SELECT * FROM (
    SELECT
        gid,
        CASE
{% for a in attributes %}
            WHEN {{ col(a.name, "form") }} IS NULL
                OR {{ col(a.name, "form") }} NOT IN ('Q', 'W'{% if a.role == "semi-sensitive" %}, 'S'{% endif %}) THEN {{ loop.index0 }}
{% if a.ordered %}
            WHEN {{ col(a.name, "form") }} <> 'Q'
                AND ({{ col(a.name, "lo") }} IS NOT NULL OR {{ col(a.name, "hi") }} IS NOT NULL) THEN {{ loop.index0 }}
            WHEN ({{ col(a.name, "lo") }} IS NULL) <> ({{ col(a.name, "hi") }} IS NULL) THEN {{ loop.index0 }}
{% else %}
            WHEN ({{ col(a.name, "form") }} = 'Q') <> ({{ col(a.name, "set") }} IS NOT NULL) THEN {{ loop.index0 }}
            WHEN len({{ col(a.name, "set") }}) = 0 THEN {{ loop.index0 }}
            WHEN len({{ col(a.name, "set") }}) > 1 AND list_count({{ col(a.name, "set") }}) < len({{ col(a.name, "set") }}) THEN {{ loop.index0 }}
{% if a.shows_node %}
            WHEN ({{ col(a.name, "set") }}[1] IS NOT NULL) <> ({{ col(a.name, "node") }} IS NOT NULL) THEN {{ loop.index0 }}
{% endif %}
{% endif %}
{% endfor %}
        END AS attribute
    FROM {{ rel("groups") }}
) AS judged
WHERE attribute IS NOT NULL
