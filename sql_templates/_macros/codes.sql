{# Codes of all attributes share a few integers ("words"), each attribute at its own bits: rows stay narrow, and the
   code of whichever attribute a node has chosen is one shift and one mask. A cell without a code has zeros. #}
{% macro code_of(a) -%}
(({{ col("codes", a.word) }} >> {{ a.shift }}) & {{ a.mask }})
{%- endmacro %}

{% macro chosen_code(words) -%}
{% if words | length == 1 -%}
(({{ col("codes", 0) }} >> shift) & mask)
{%- else -%}
((CASE word{% for word in words %} WHEN {{ word }} THEN {{ col("codes", word) }}{% endfor %} END >> shift) & mask)
{%- endif %}
{%- endmacro %}
