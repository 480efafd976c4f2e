{# Codes of all attributes share a few integers ("words"), each attribute at its own bits: rows stay narrow, and the
   code of whichever attribute a node has chosen is one shift and one mask. A cell without a code has zeros. #}
{% macro code_of(a) -%}
(({{ col("codes", a.word) }} >> {{ a.shift }}) & {{ a.mask }})
{%- endmacro %}

{# The code of the chosen attribute where it stands in its word, `code << shift`: ordered like the code, without a shift. #}
{% macro chosen_place(words) -%}
{% if words | length == 1 -%}
({{ col("codes", 0) }} & place_mask)
{%- else -%}
(CASE word{% for word in words %} WHEN {{ word }} THEN {{ col("codes", word) }}{% endfor %} END & place_mask)
{%- endif %}
{%- endmacro %}

{# The bits of a tuple's values, in one word. #}
{% macro bits_of(attributes, word) -%}
{% for a in attributes if a.bit_word == word %}
(CAST(1 AS BIGINT) << ({{ code_of(a) }} + {{ a.bit_shift }}))
{%- if not loop.last %} | {% endif %}
{%- endfor %}
{%- endmacro %}

{# The word with the bits of the chosen attribute; an ordered one has none. #}
{% macro chosen_bits(bit_words) -%}
{% if bit_words | length == 1 -%}
{{ col("bits", 0) }}
{%- else -%}
CASE bit_word{% for word in bit_words %} WHEN {{ word }} THEN {{ col("bits", word) }}{% endfor %} ELSE 0 END
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
