{#
relation = "cells_not_covered"
grain = "one row per tuple with a cell that its group does not describe truly"
key = ["rid"]
inputs = ["linked_tuples", "groups", "source_rows"]
params = ["attributes"]
columns = ["rid", "gid", "attribute"]
why = "Against the source: a flagged cell is never shown, an unflagged one never bucketed, a shown value lies in its range or set. Attributes are numbered from 0; -1 is a tuple that stands beside another's row."
#}
{% set truth = col("truth") ~ dot %}
{% set shown = col("shown") ~ dot %}
{% macro place(a, value) -%}
{% if a.words -%}
list_position([{% for word in a.words %}{{ lit(word) }}{{ comma(loop.last) }}{% endfor %}], {{ value }})
{%- else -%}
{{ value }}
{%- endif %}
{%- endmacro %}
{% macro untrue(a) -%}
{% if a.flag is not none -%}
truth.{{ col(a.name, "flagged") }} AND shown.{{ col(a.name, "form") }} = 'Q'
    OR NOT truth.{{ col(a.name, "flagged") }} AND shown.{{ col(a.name, "form") }} = 'S'
    OR {% endif %}
{% if a.ordered -%}
{{ place(a, truth ~ col(a.name, "value")) }} < {{ place(a, shown ~ col(a.name, "lo")) }}
    OR {{ place(a, truth ~ col(a.name, "value")) }} > {{ place(a, shown ~ col(a.name, "hi")) }}
    OR shown.{{ col(a.name, "form") }} = 'Q' AND (truth.{{ col(a.name, "value") }} IS NULL) <> (shown.{{ col(a.name, "lo") }} IS NULL)
{%- else -%}
NOT list_contains(shown.{{ col(a.name, "set") }}, truth.{{ col(a.name, "value") }})
    OR truth.{{ col(a.name, "value") }} IS NULL AND shown.{{ col(a.name, "set") }}[1] IS NOT NULL
{%- endif %}
{%- endmacro %}
SELECT
    cells.rid,
    cells.gid,
    CASE
{% for a in attributes %}
        WHEN {{ untrue(a) }} THEN {{ loop.index0 }}
{% endfor %}
        ELSE -1
    END AS attribute
FROM {{ rel("source_rows") }} AS truth
JOIN {{ rel("linked_tuples") }} AS cells ON cells.row_id = truth.rowid
JOIN {{ rel("groups") }} AS shown ON shown.gid = cells.gid
WHERE cells.rid IS DISTINCT FROM cells.linked_rid
{% for a in attributes %}
    OR {{ untrue(a) }}
{% endfor %}
