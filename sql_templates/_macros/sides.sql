{# What NCP charges for boxes while tuples are dealt to two sides. A side is numbered 1 or 2. Its box is, by attribute:
   ordered: the lowest and the highest place in the domain's range, between 0 and 1;
   unordered: a bit for every value, in an integer or a bit string;
   with a hierarchy: the largest penalty of a member together with the side's seed. All ancestors of the box are
   ancestors of the seed, so the box's lowest common ancestor is the highest of those, and its penalty the largest. #}
{% import "_macros/codes.sql" as codes with context %}

{# The penalty of two tuples together, in one attribute. `domain_scales` must be CROSS JOINed. #}
{% macro pair_penalty(a, one, other) -%}
{% if a.ordered -%}
abs({{ one }}.{{ col(a.name, "at") }} - {{ other }}.{{ col(a.name, "at") }})
{%- elif a.hierarchy -%}
{% set low %}least({{ one }}.{{ col(a.name, "code") }}, {{ other }}.{{ col(a.name, "code") }}){% endset -%}
{% set high %}greatest({{ one }}.{{ col(a.name, "code") }}, {{ other }}.{{ col(a.name, "code") }}){% endset -%}
{{ codes.hierarchy_cost(a, low, high) }}
{%- else -%}
CASE WHEN {{ one }}.{{ col(a.name, "code") }} = {{ other }}.{{ col(a.name, "code") }} THEN 0 ELSE 2 / {{ a.set_bits }} END
{%- endif %}
{%- endmacro %}

{# The set that holds one code. #}
{% macro set_of(a, code) -%}
{% if a.small_domain -%}
CAST(1 AS BIGINT) << {{ code }}
{%- else -%}
set_bit(bitstring('0', {{ a.set_bits }}), {{ code }}, 1)
{%- endif %}
{%- endmacro %}

{# The set with the tuple's code. #}
{% macro grown_set(a, side) -%}
{% if a.small_domain -%}
{{ col(a.name, "set_" ~ side) }} | (CAST(1 AS BIGINT) << {{ col(a.name, "code") }})
{%- else -%}
set_bit({{ col(a.name, "set_" ~ side) }}, {{ col(a.name, "code") }}, 1)
{%- endif %}
{%- endmacro %}

{# The penalty of the side's box once it holds the tuple, in one attribute. #}
{% macro grown_penalty(a, side) -%}
{% if a.ordered -%}
(greatest({{ col(a.name, "high_" ~ side) }}, {{ col(a.name, "at") }}) - least({{ col(a.name, "low_" ~ side) }}, {{ col(a.name, "at") }}))
{%- elif a.hierarchy -%}
greatest({{ col(a.name, "cost_" ~ side) }}, {{ col(a.name, "from_" ~ side) }})
{%- else -%}
CASE WHEN bit_count({{ grown_set(a, side) }}) > 1 THEN bit_count({{ grown_set(a, side) }}) / {{ a.set_bits }} ELSE 0 END
{%- endif %}
{%- endmacro %}
