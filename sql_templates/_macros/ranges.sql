{# What a range [lo, hi] and a list of intervals have in common. `lo` and `hi` are SQL of the range's ends. #}
{% import "_macros/dialect.sql" as dialect %}
{% macro touches(intervals, lo, hi) -%}
({% for interval in intervals %}{% if not loop.first %} OR {% endif -%}
{% if interval.low is none and interval.high is none %}TRUE{% endif -%}
{% if interval.low is not none %}{{ hi }} {% if interval.low_in %}>={% else %}>{% endif %} {{ interval.low }}{% endif -%}
{% if interval.low is not none and interval.high is not none %} AND {% endif -%}
{% if interval.high is not none %}{{ lo }} {% if interval.high_in %}<={% else %}<{% endif %} {{ interval.high }}{% endif -%}
{% else %}FALSE{% endfor %})
{%- endmacro %}

{# The part of a range that lies in the intervals: values of integers and dates are counted, of others the length. #}
{% macro part_of(intervals, attribute, lo, hi) -%}
{% set one = 1 if attribute.family in ("integer", "date") else 0 -%}
({% for interval in intervals %}{% if not loop.first %} + {% endif -%}
greatest({{ dialect.position(most(interval, attribute, hi), attribute) }} - {{ dialect.position(least(interval, attribute, lo), attribute) }} + {{ one }}, 0)
{%- else %}0{% endfor %}) / nullif(CAST({{ dialect.position(hi, attribute) }} - {{ dialect.position(lo, attribute) }} + {{ one }} AS DOUBLE), 0)
{%- endmacro %}
{% macro most(interval, attribute, hi) -%}
{% if interval.high is none %}{{ hi }}{% else %}least({{ hi }}, TRY_CAST({{ interval.high }} AS {{ attribute.type }})){% endif %}
{%- endmacro %}
{% macro least(interval, attribute, lo) -%}
{% if interval.low is none %}{{ lo }}{% else %}greatest({{ lo }}, TRY_CAST({{ interval.low }} AS {{ attribute.type }})){% endif %}
{%- endmacro %}
