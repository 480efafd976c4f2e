{# All values that a release shows of an attribute: what its buckets list, and the ranges or sets of its groups. #}
{% macro shown_values(attribute) %}
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
{% endmacro %}
