{# All words that differ between SQL dialects, one macro per operation. #}
{% macro position(value, family) %}
{%- if family == "date" -%}
CAST(date_diff('day', DATE '1970-01-01', {{ value }}) AS DOUBLE)
{%- elif family == "timestamp" -%}
CAST(epoch_us({{ value }}) AS DOUBLE)
{%- elif family == "time" -%}
CAST(date_diff('microsecond', TIME '00:00:00', {{ value }}) AS DOUBLE)
{%- else -%}
CAST({{ value }} AS DOUBLE)
{%- endif -%}
{% endmacro %}

{% macro not_finite(value, family) %}
{%- if family == "float" -%}
(isnan({{ value }}) OR isinf({{ value }}))
{%- elif family in ("date", "timestamp") -%}
isinf({{ value }})
{%- else -%}
FALSE
{%- endif -%}
{% endmacro %}

{% macro bit_of(code) -%}
CAST(1 AS BIGINT) << {{ code }}
{%- endmacro %}

{% macro json_text(value) -%}
CAST(to_json({{ value }}) AS VARCHAR)
{%- endmacro %}
