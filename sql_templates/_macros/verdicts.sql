{# Conditions of a tuple where OR joins several attributes: of each a bucket decides where there is one, else the group's cell. #}
{% macro hidden(a) %}{{ col("of", a.name) }}{% endmacro %}
{% macro cell(leaf) %}cell_{{ leaf.number }}{% endmacro %}
{% macro bucket(leaf) %}bucket_{{ leaf.number }}{% endmacro %}

{% macro may(node) -%}
{% if node.kind == "leaf" -%}
{% if node.is_exact %}coalesce(({{ node.on_tuple }}), FALSE)
{%- else %}coalesce(
{%- if node.is_bucketed %}{{ bucket(node) }}.hits > 0, {% endif -%}
{% if node.is_shown %}{{ cell(node) }}.never < group_verdicts.size, FALSE{% else %}TRUE{% endif %}){% endif -%}
{% else -%}
({% for part in node.parts %}{% if not loop.first %}{% if node.kind == "all" %} AND {% else %} OR {% endif %}{% endif %}{{ may(part) }}{% endfor %})
{%- endif %}
{%- endmacro %}

{% macro must(node) -%}
{% if node.kind == "leaf" -%}
{% if node.is_exact %}coalesce(({{ node.on_tuple }}), FALSE)
{%- else %}coalesce(
{%- if node.is_bucketed %}{{ bucket(node) }}.hits = {{ bucket(node) }}.size, {% endif -%}
{% if node.is_shown %}{{ cell(node) }}.sure = group_verdicts.size, {% endif %}FALSE){% endif -%}
{% else -%}
({% for part in node.parts %}{% if not loop.first %}{% if node.kind == "all" %} AND {% else %} OR {% endif %}{% endif %}{{ must(part) }}{% endfor %})
{%- endif %}
{%- endmacro %}

{% macro share(leaf, word) -%}
{% if leaf.is_exact %}CAST(coalesce(({{ leaf.on_tuple }}), FALSE) AS INTEGER)
{%- else %}coalesce(
{%- if leaf.is_bucketed %}{{ bucket(leaf) }}.hits / {{ bucket(leaf) }}.size, {% endif -%}
{% if leaf.is_shown %}{{ cell(leaf) }}.{{ col(word) }}, {% endif %}0){% endif -%}
{%- endmacro %}

{# Inclusion and exclusion over the alternatives; too many of them count as independent. #}
{% macro mixed_share(mixed, word) -%}
{% if mixed.terms -%}
(0{% for term in mixed.terms %} {% if term.sign > 0 %}+{% else %}-{% endif %} 1{% for leaf in term.leaves %} * {{ share(leaf, word) }}{% endfor %}{% endfor %})
{%- else -%}
{{ independent(mixed.node, word) }}
{%- endif %}
{%- endmacro %}
{% macro independent(node, word) -%}
{% if node.kind == "leaf" %}{{ share(node, word) }}
{%- elif node.kind == "all" %}(1{% for part in node.parts %} * {{ independent(part, word) }}{% endfor %})
{%- else %}(1 - (1{% for part in node.parts %} * (1 - {{ independent(part, word) }}){% endfor %})){% endif -%}
{%- endmacro %}
