{# All words that differ between SQL dialects, one macro per operation. #}
{# Where a value stands, as an exact number to take differences of: units of the last digit, days or
   microseconds. Floats and the widest decimals are quartered, so that no difference overflows; ratios stay the same. #}
{% macro position(value, attribute) %}
{%- if attribute.family == "date" -%}
date_diff('day', DATE '1970-01-01', {{ value }})
{%- elif attribute.family == "timestamp" and attribute.type == "TIMESTAMP_NS" -%}
CAST(epoch_ns({{ value }}) AS HUGEINT)
{%- elif attribute.family == "timestamp" -%}
CAST(epoch_us({{ value }}) AS HUGEINT)
{%- elif attribute.family == "time" -%}
date_diff('microsecond', TIME '00:00:00', {{ value }})
{%- elif attribute.family == "integer" -%}
CAST({{ value }} AS HUGEINT)
{%- elif attribute.family == "decimal" and not attribute.type.startswith("DECIMAL(38") -%}
CAST(replace(CAST({{ value }} AS VARCHAR), '.', '') AS HUGEINT)
{%- else -%}
CAST({{ value }} AS DOUBLE) / 4
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
