{#
relation = "cells_not_covered"
grain = "one row per tuple with a cell that its group does not describe truly"
key = ["rid"]
inputs = ["linked_tuples", "groups", "source_rows"]
params = ["attributes"]
columns = ["rid", "gid", "attribute"]
why = "Against the source: a flagged cell is never shown, an unflagged one never bucketed, a shown value lies in its range or set. Attributes are numbered from 0; -1 is a tuple that stands beside another's row."
#}
{% macro place(a, value) -%}
{% if a.words -%}
list_position([{% for word in a.words %}{{ lit(word) }}{{ comma(loop.last) }}{% endfor %}], {{ value }})
{%- else -%}
{{ value }}
{%- endif %}
{%- endmacro %}
{% macro untrue(a) -%}
{% if a.flag is not none -%}
truth.{{ col(a.name, "flagged") }} AND shown.{{ col(a.name, "is_shown") }}
    OR NOT truth.{{ col(a.name, "flagged") }} AND shown.{{ col(a.name, "is_bucketed") }}
    OR {% endif %}
{% if a.ordered -%}
{{ place(a, col("truth") ~ dot ~ col(a.name, "value")) }} < shown.{{ col(a.name, "low") }}
    OR {{ place(a, col("truth") ~ dot ~ col(a.name, "value")) }} > shown.{{ col(a.name, "high") }}
{%- else -%}
NOT list_contains(shown.{{ col(a.name, "set") }}, truth.{{ col(a.name, "value") }})
{%- endif %}

    OR (truth.{{ col(a.name, "value") }} IS NULL) <> shown.{{ col(a.name, "is_null") }} AND shown.{{ col(a.name, "is_shown") }}
{%- endmacro %}
WITH shown AS (
    SELECT
        gid
{% for a in attributes %}
        , {{ col(a.name, "form") }} = 'Q' AS {{ col(a.name, "is_shown") }}
        , {{ col(a.name, "form") }} = 'S' AS {{ col(a.name, "is_bucketed") }}
{% if a.ordered %}
        , {{ place(a, col(a.name, "lo")) }} AS {{ col(a.name, "low") }}
        , {{ place(a, col(a.name, "hi")) }} AS {{ col(a.name, "high") }}
        , {{ col(a.name, "lo") }} IS NULL AS {{ col(a.name, "is_null") }}
{% else %}
        , {{ col(a.name, "set") }}
        , {{ col(a.name, "set") }}[1] IS NULL AS {{ col(a.name, "is_null") }}
{% endif %}
{% endfor %}
    FROM {{ rel("groups") }}
)
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
JOIN shown ON shown.gid = cells.gid
WHERE cells.rid IS DISTINCT FROM cells.linked_rid
{% for a in attributes %}
    OR {{ untrue(a) }}
{% endfor %}
