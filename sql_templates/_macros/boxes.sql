{# Boxes of sets of tuples: <A>_low and <A>_high of spans, the values of sets as bits of mask_<number>.
   A tuple's own box is <A>_at and its bits. #}
{% import "_macros/codes.sql" as codes with context %}

{# The bits of a mask that one tuple's values are. #}
{% macro bits_of_row(boxes, mask) -%}
{% for bits in boxes.bits_in(mask) -%}
{% if bits.holds_all -%}
(CAST(1 AS BIGINT) << ({{ codes.code_of(bits.attribute) }} + {{ bits.shift }}))
{%- else -%}
CASE WHEN {{ codes.code_of(bits.attribute) }} % {{ bits.modulus }} BETWEEN {{ bits.first }} AND {{ bits.last }}
        THEN CAST(1 AS BIGINT) << ({{ codes.code_of(bits.attribute) }} % {{ bits.modulus }} - {{ bits.first }} + {{ bits.shift }}) ELSE 0 END
{%- endif %}
{%- if not loop.last %} | {% endif %}
{%- endfor %}
{%- endmacro %}

{# What NCP charges for every cell of a box: normalised spans, shares of domains; `side` ends the columns' names. #}
{% macro cost(boxes, side) -%}
(0
{%- for a in boxes.spans %}

        + {{ span(a, col(a.name, "low" ~ side), col(a.name, "high" ~ side)) }}
{%- endfor %}
{%- for a in boxes.sets %}

        + {{ share(boxes, a, side) }}
{%- endfor -%}
)
{%- endmacro %}

{% macro span(a, low, high) -%}
{% if a.hierarchy %}{{ codes.hierarchy_cost(a, low, high) }}{% else %}({{ high }} - {{ low }}){% endif %}
{%- endmacro %}

{% macro gap(a, one, other) -%}
{% if a.hierarchy %}{{ codes.hierarchy_cost(a, "least(" ~ one ~ ", " ~ other ~ ")", "greatest(" ~ one ~ ", " ~ other ~ ")") }}{% else %}abs({{ one }} - {{ other }}){% endif %}
{%- endmacro %}

{# Costs over hierarchies look ancestors up in the lists of `domain_scales`. #}
{% macro with_scales(boxes) -%}
{% if boxes.trees %}
CROSS JOIN {{ rel("domain_scales") }} AS domain_scales
{%- endif %}
{%- endmacro %}

{% macro share(boxes, a, side) -%}
{% set values -%}
{% for bits in boxes.bits_of(a) -%}
CAST(bit_count({{ col("mask", bits.mask ~ side) }} & {{ bits.whole }}) AS INTEGER)
{%- if not loop.last %} + {% endif %}
{%- endfor %}
{%- endset -%}
CASE WHEN {{ values }} > 1 THEN ({{ values }}) / {{ a.domain_size }} ELSE 0 END
{%- endmacro %}

{# How far a tuple is from a tuple whose columns start with `other` and a number: what NCP charges for the two. #}
{% macro distance(boxes, other, number) -%}
(0
{%- for a in boxes.spans %}

        + {{ gap(a, col(a.name, "at"), col(a.name, other ~ "_" ~ number)) }}
{%- endfor %}
{%- for a in boxes.sets %}

        + CASE WHEN {{ codes.code_of(a) }} = (({{ col(other, number ~ "_" ~ a.word) }} >> {{ a.shift }}) & {{ a.mask }}) THEN 0 ELSE CAST(2 AS DOUBLE) / {{ a.domain_size }} END
{%- endfor -%}
)
{%- endmacro %}

{# The columns of a box, each with the aggregate that joins boxes: used for sets of tuples and sets of boxes. #}
{% macro joined(boxes, from_rows) -%}
{% for a in boxes.spans %}
    , min({{ col(a.name, "at" if from_rows else "low") }}) AS {{ col(a.name, "low") }}
    , max({{ col(a.name, "at" if from_rows else "high") }}) AS {{ col(a.name, "high") }}
{% endfor %}
{% for mask in boxes.masks %}
    , bit_or({{ col("mask", mask) }}) AS {{ col("mask", mask) }}
{% endfor %}
{%- endmacro %}

{# The columns of a tuple's own box, and its codes, as they are carried from relation to relation. #}
{% macro carried(boxes, words) -%}
{% for word in words %}
    , {{ col("codes", word) }}
{% endfor %}
{% for a in boxes.spans %}
    , {{ col(a.name, "at") }}
{% endfor %}
{% for mask in boxes.masks %}
    , {{ col("mask", mask) }}
{% endfor %}
{%- endmacro %}

{# The columns of a box as they are. #}
{% macro box_columns(boxes) -%}
{% for a in boxes.spans %}
    , {{ col(a.name, "low") }}
    , {{ col(a.name, "high") }}
{% endfor %}
{% for mask in boxes.masks %}
    , {{ col("mask", mask) }}
{% endfor %}
{%- endmacro %}

{# Where a tuple stands in an order. #}
{% macro key(boxes, order) -%}
{% if order.attribute is none -%}
{{ col("axis", order.axis) }}
{%- elif order.attribute in boxes.spans -%}
CAST({{ col(order.attribute.name, "at") }} AS DOUBLE)
{%- else -%}
CAST({{ codes.code_of(order.attribute) }} AS DOUBLE)
{%- endif %}
{%- endmacro %}
