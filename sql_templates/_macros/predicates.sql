{# Predicates as analysts give them: the parameter of an attribute's name, over a column of that name. #}
{# Whether nothing is asked of the attribute: the parameter's default, a text and no truth value. #}
{% macro free(a) -%}
(typeof({{ col(a.name) }}) = 'VARCHAR' AND coalesce(TRY_CAST({{ col(a.name) }} AS VARCHAR) = 'any', FALSE))
{%- endmacro %}

{# Whether the predicate is true; NULL is not. Anything but a predicate is an error. #}
{% macro holds(a) -%}
CASE WHEN {{ free(a) }} THEN TRUE
            WHEN typeof({{ col(a.name) }}) IN ('BOOLEAN', '"NULL"')
                THEN coalesce(TRY_CAST({{ col(a.name) }} AS BOOLEAN), FALSE)
            ELSE CAST(error('an argument is not a predicate') AS BOOLEAN) END
{%- endmacro %}
