{#
relation = "foreign_values"
grain = "one row for the helper relation"
key = []
inputs = ["helper", "groups", "sat"]
params = ["attribute", "column", "is_list", "has_declared"]
columns = ["foreign_entries"]
why = "Relations that help answer queries are made of released tables, or declared by the policy: any other value in them was withheld, suppressed or never released."
#}
SELECT count(*) AS foreign_entries
FROM (
    SELECT {% if is_list %}unnest({{ col(column) }}){% else %}{{ col(column) }}{% endif %} AS value
    FROM {{ rel("helper") }}
{% if has_declared %}
    WHERE NOT declared
{% endif %}
    EXCEPT
    (
{% if attribute.role != "quasi-identifier" %}
        SELECT value FROM {{ rel("sat") }}
{% endif %}
{% if attribute.role == "semi-sensitive" %}
        UNION
{% endif %}
{% if attribute.role != "sensitive" %}
{% if attribute.ordered %}
        SELECT {{ col(attribute.name, "lo") }} AS value FROM {{ rel("groups") }}
        UNION
        SELECT {{ col(attribute.name, "hi") }} FROM {{ rel("groups") }}
{% else %}
        SELECT unnest({{ col(attribute.name, "set") }}) AS value FROM {{ rel("groups") }}
{% endif %}
{% endif %}
    )
) AS unknown
HAVING count(*) > 0
