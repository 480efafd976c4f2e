{#
relation = "boxes_not_true"
grain = "one row per group that does not describe its tuples exactly"
key = ["gid"]
inputs = ["linked_tuples", "groups", "source_rows"]
params = ["attributes"]
columns = ["gid", "attribute"]
why = "Against the source: a flagged cell is never shown, an unflagged one never bucketed; a range or set is exactly that of the shown values, so it cannot betray a flagged one. Places in a set are collected as bits, bit 0 for a value outside; sets too large for that are left to sets_not_true, sets under a node of a hierarchy to nodes_not_true. Attributes are numbered from 0."
#}
{% macro place(a, value) -%}
{% if a.words -%}
list_position([{% for word in a.words %}{{ lit(word) }}{{ comma(loop.last) }}{% endfor %}], {{ value }})
{%- else -%}
{{ value }}
{%- endif %}
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
{% if not a.shows_node %}
        , CASE WHEN len({{ col(a.name, "set") }}) <= 61 AND {{ col(a.name, "set") }}[1] IS NOT NULL THEN {{ col(a.name, "set") }} END
            AS {{ col(a.name, "members") }}
{% endif %}
        , {{ col(a.name, "set") }}[1] IS NULL AS {{ col(a.name, "is_null") }}
{% endif %}
{% endfor %}
    FROM {{ rel("groups") }}
),
truth_of_groups AS (
    SELECT
        cells.gid,
        max(CASE
{% for a in attributes %}
            WHEN (truth.{{ col(a.name, "value") }} IS NULL) <> shown.{{ col(a.name, "is_null") }} AND shown.{{ col(a.name, "is_shown") }}
{% if a.flag is not none %}
                OR truth.{{ col(a.name, "flagged") }} AND shown.{{ col(a.name, "is_shown") }}
                OR NOT truth.{{ col(a.name, "flagged") }} AND shown.{{ col(a.name, "is_bucketed") }}
{% endif %}
                THEN {{ loop.index0 }}
{% endfor %}
        END) AS mistaken
{% for a in attributes %}
{% if a.ordered %}
        , min({{ place(a, col("truth") ~ dot ~ col(a.name, "value")) }}) AS {{ col(a.name, "least") }}
        , max({{ place(a, col("truth") ~ dot ~ col(a.name, "value")) }}) AS {{ col(a.name, "most") }}
{% elif not a.shows_node %}
        , bit_or(CAST(1 AS BIGINT) << CAST(coalesce(list_position(
            shown.{{ col(a.name, "members") }}, truth.{{ col(a.name, "value") }}), 0) AS BIGINT)) AS {{ col(a.name, "places") }}
{% endif %}
{% endfor %}
    FROM {{ rel("source_rows") }} AS truth
    JOIN {{ rel("linked_tuples") }} AS cells ON cells.row_id = truth.rowid
    JOIN shown ON shown.gid = cells.gid
    GROUP BY cells.gid
)
SELECT * FROM (
    SELECT
        gid,
        CASE
            WHEN mistaken IS NOT NULL THEN mistaken
{% for a in attributes %}
{% if a.ordered %}
            WHEN {{ col(a.name, "is_shown") }} AND ({{ col(a.name, "least") }} IS DISTINCT FROM {{ col(a.name, "low") }}
                OR {{ col(a.name, "most") }} IS DISTINCT FROM {{ col(a.name, "high") }}) THEN {{ loop.index0 }}
{% elif not a.shows_node %}
            WHEN {{ col(a.name, "members") }} IS NOT NULL
                AND {{ col(a.name, "places") }} <> (CAST(2 AS BIGINT) << len({{ col(a.name, "members") }})) - 2 THEN {{ loop.index0 }}
{% endif %}
{% endfor %}
        END AS attribute
    FROM truth_of_groups
    JOIN shown USING (gid)
) AS judged
WHERE attribute IS NOT NULL
