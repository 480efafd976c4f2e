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


{# Where an attribute has a hierarchy, its codes are dense in depth-first order of the leaves, so the lowest common
   ancestor of a set of codes is that of its smallest and its largest. `domain_scales` must be CROSS JOINed. #}
{% macro is_shared_level(a, level, low, high) -%}
domain_scales.{{ col(a.name, "level_" ~ level) }}[{{ low }} + 1] = domain_scales.{{ col(a.name, "level_" ~ level) }}[{{ high }} + 1]
{%- endmacro %}

{# What NCP charges for these codes: 0 for one value, else leaves under the lowest common ancestor / all leaves. #}
{% macro hierarchy_cost(a, low, high) -%}
CASE WHEN {{ low }} = {{ high }} THEN 0
{% for level in a.hierarchy.levels[:-1] | reverse %}
        WHEN {{ is_shared_level(a, level, low, high) }}
            THEN domain_scales.{{ col(a.name, "leaves_" ~ level) }}[{{ low }} + 1] / domain_scales.{{ col(a.name, "leaves") }}
{% endfor %}
        ELSE CAST(1 AS DOUBLE) END
{%- endmacro %}

{# The number of their lowest common ancestor, the leaf itself for one value; 0 is the root. #}
{% macro hierarchy_node(a, low, high) -%}
CASE
{% for level in a.hierarchy.levels | reverse %}
        WHEN {{ is_shared_level(a, level, low, high) }} THEN domain_scales.{{ col(a.name, "level_" ~ level) }}[{{ low }} + 1]
{% endfor %}
        ELSE 0 END
{%- endmacro %}
