{#
relation = "cells_not_covered"
grain = "one row per tuple with a cell that its group does not describe truly"
key = ["rid"]
inputs = ["linked_tuples", "groups", "source_rows"]
params = ["attributes"]
columns = ["rid", "gid", "attribute"]
why = "Against the source: a flagged cell is never shown, an unflagged one never bucketed, a shown value lies in its range or set."
#}
{% macro outside(a) -%}
{% if not a.ordered %}
(shown.{{ col(a.name, "form") }} = 'Q' AND NOT coalesce(list_contains(shown.{{ col(a.name, "set") }}, truth.{{ col(a.name, "value") }}),
                truth.{{ col(a.name, "value") }} IS NULL AND shown.{{ col(a.name, "set") }}[1] IS NULL))
{% elif a.words %}
(shown.{{ col(a.name, "form") }} = 'Q' AND NOT coalesce(
                list_position({{ words(a) }}, truth.{{ col(a.name, "value") }})
                BETWEEN list_position({{ words(a) }}, shown.{{ col(a.name, "lo") }}) AND list_position({{ words(a) }}, shown.{{ col(a.name, "hi") }}),
                truth.{{ col(a.name, "value") }} IS NULL AND shown.{{ col(a.name, "lo") }} IS NULL))
{% else %}
(shown.{{ col(a.name, "form") }} = 'Q' AND NOT coalesce(
                truth.{{ col(a.name, "value") }} BETWEEN shown.{{ col(a.name, "lo") }} AND shown.{{ col(a.name, "hi") }},
                truth.{{ col(a.name, "value") }} IS NULL AND shown.{{ col(a.name, "lo") }} IS NULL))
{% endif %}
{%- endmacro %}
{% macro words(a) -%}
[{% for word in a.words %}{{ lit(word) }}{{ comma(loop.last) }}{% endfor %}]
{%- endmacro %}
SELECT * FROM (
    SELECT
        cells.rid,
        cells.gid,
        CASE
            WHEN cells.rid IS DISTINCT FROM cells.linked_rid THEN -1
{% for a in attributes %}
{% if a.flag %}
            WHEN truth.{{ col(a.name, "flagged") }} AND shown.{{ col(a.name, "form") }} = 'Q' THEN {{ loop.index0 }}
            WHEN NOT truth.{{ col(a.name, "flagged") }} AND shown.{{ col(a.name, "form") }} = 'S' THEN {{ loop.index0 }}
{% endif %}
            WHEN {{ outside(a) }} THEN {{ loop.index0 }}
{% endfor %}
        END AS attribute
    FROM {{ rel("source_rows") }} AS truth
    JOIN {{ rel("linked_tuples") }} AS cells ON cells.row_id = truth.rowid
    JOIN {{ rel("groups") }} AS shown ON shown.gid = cells.gid
) AS judged
WHERE attribute IS NOT NULL
