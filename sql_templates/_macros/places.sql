{# Where a value stands for whoever checks a release: in the list that orders its attribute, else the value itself. #}
{% macro place(a, value) -%}
{% if a.words -%}
list_position([{% for word in a.words %}{{ lit(word) }}{{ comma(loop.last) }}{% endfor %}], {{ value }})
{%- else -%}
{{ value }}
{%- endif %}
{%- endmacro %}
