{#
relation = "boxes_not_true"
grain = "one row per group that does not describe its tuples exactly"
key = ["gid"]
inputs = ["linked_tuples", "groups", "source_rows", "shown_values_{few}"]
params = ["attributes", "few"]
columns = ["gid", "attribute"]
why = "Against the source: a flagged cell is never shown, an unflagged one never bucketed; a range or set is exactly that of the shown values, so it cannot betray a flagged one. Flags and NULLs are marked as bits of a row (most rows have no NULL and need no look at each cell), and told apart per group. Sets of the `few`, attributes of few values, are compared as bits, bit 0 for a value that no group shows; the others are left to sets_not_true, sets under a node of a hierarchy to nodes_not_true. Attributes are numbered from 0."
#}
{% from "_macros/places.sql" import place %}
{% macro bit(a, value) -%}
CAST(1 AS BIGINT) << CAST(coalesce(list_position(dictionary.{{ col(a.name, "entries") }}, {{ value }}), 0) AS BIGINT)
{%- endmacro %}
{% macro mark(kind, loop) -%}{{ {"null": 1, "flag": 2}[kind] * 4 ** loop.index0 }}{%- endmacro %}
{% macro marks(with_nulls) -%}
0
{%- for a in attributes %}
{%- if a.flag is not none %} + CASE WHEN {{ col(a.name, "flagged") }} THEN {{ mark("flag", loop) }} ELSE 0 END{% endif %}
{%- if with_nulls %} + CASE WHEN {{ col(a.name, "value") }} IS NULL THEN {{ mark("null", loop) }} ELSE 0 END{% endif %}
{%- endfor %}
{%- endmacro %}
WITH dictionary AS (
    SELECT 0 AS attribute
{% for a in few %}
        , (SELECT list(value ORDER BY value) FROM {{ rel("shown_values", a.name) }}) AS {{ col(a.name, "entries") }}
{% endfor %}
),
truth_of_groups AS (
    SELECT
        gid,
        bit_or(marks) AS marks_of_some,
        bit_and(marks) AS marks_of_all
{% for a in attributes %}
{% if a.ordered %}
        , min({{ place(a, col("truth") ~ dot ~ col(a.name, "value")) }}) AS {{ col(a.name, "least") }}
        , max({{ place(a, col("truth") ~ dot ~ col(a.name, "value")) }}) AS {{ col(a.name, "most") }}
{% elif a in few %}
        , bit_or({{ col(a.name, "bit") }}) AS {{ col(a.name, "places") }}
{% endif %}
{% endfor %}
    FROM (
        SELECT
            *
{% for a in few %}
            , {{ bit(a, col(a.name, "value")) }} AS {{ col(a.name, "bit") }}
{% endfor %}
            , CAST(CASE WHEN TRUE
{% for a in attributes %}
                AND {{ col(a.name, "value") }} IS NOT NULL
{% endfor %}
            THEN {{ marks(with_nulls=false) }}
            ELSE {{ marks(with_nulls=true) }} END AS BIGINT)
                AS marks
        FROM {{ rel("source_rows") }} CROSS JOIN dictionary
    ) AS truth
    POSITIONAL JOIN {{ rel("linked_tuples") }}
    WHERE gid IS NOT NULL
    GROUP BY gid
)
SELECT * FROM (
    SELECT
        shown.gid,
        CASE
{% for a in attributes %}
{% set is_null = "shown." ~ col(a.name, "lo") ~ " IS NULL" if a.ordered else "shown." ~ col(a.name, "set") ~ "[1] IS NULL" %}
            WHEN shown.{{ col(a.name, "form") }} = 'S' AND marks_of_all & {{ mark("flag", loop) }} = 0 THEN {{ loop.index0 }}
            WHEN shown.{{ col(a.name, "form") }} = 'Q' AND (
                marks_of_some & {{ mark("flag", loop) }} <> 0
                OR {{ is_null }} AND marks_of_all & {{ mark("null", loop) }} = 0
                OR NOT ({{ is_null }}) AND marks_of_some & {{ mark("null", loop) }} <> 0
{% if a.ordered %}
                OR {{ col(a.name, "least") }} IS DISTINCT FROM {{ place(a, col("shown") ~ dot ~ col(a.name, "lo")) }}
                OR {{ col(a.name, "most") }} IS DISTINCT FROM {{ place(a, col("shown") ~ dot ~ col(a.name, "hi")) }}
{% elif a in few %}
                OR NOT ({{ is_null }}) AND (bit_count({{ col(a.name, "places") }}) <> len(shown.{{ col(a.name, "set") }})
                    OR {{ col(a.name, "places") }} <> list_aggregate([{{ bit(a, col("member")) }} FOR member IN shown.{{ col(a.name, "set") }}], 'bit_or'))
{% endif %}
            ) THEN {{ loop.index0 }}
{% endfor %}
        END AS attribute
    FROM truth_of_groups AS truths
    JOIN {{ rel("groups") }} AS shown ON shown.gid = truths.gid
    CROSS JOIN dictionary
) AS judged
WHERE attribute IS NOT NULL
