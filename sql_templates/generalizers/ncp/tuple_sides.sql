{#
relation = "tuple_sides"
grain = "one row per tuple of a node that may split"
key = ["row_id"]
inputs = ["seed_boxes", "dealt_rows"]
params = ["attributes"]
columns = ["row_id", "node_id", "in_first"]
paper = "Algorithm 4, line 14: divide_table, tuple by tuple"
why = "Turn i deals tuple i of every node to the side where size * penalty grows less; ties go to the smaller side, then to the first. Runs on one thread: DuckDB 2.0.0 is not safe to recurse on several."
#}
{% import "_macros/boxes.sql" as boxes with context %}
WITH RECURSIVE sides AS (
    SELECT
        node_id, 0 AS turn, row_id_1 AS row_id, TRUE AS in_first,
        CAST(1 AS BIGINT) AS size_1, CAST(1 AS BIGINT) AS size_2,
        CAST(0 AS DOUBLE) AS penalty_1, CAST(0 AS DOUBLE) AS penalty_2
{% for a in attributes %}
{% for side in (1, 2) %}
{% if a.ordered %}
        , {{ col(a.name, "at_" ~ side) }} AS {{ col(a.name, "low_" ~ side) }}, {{ col(a.name, "at_" ~ side) }} AS {{ col(a.name, "high_" ~ side) }}
{% elif a.hierarchy %}
        , CAST(0 AS DOUBLE) AS {{ col(a.name, "cost_" ~ side) }}
{% else %}
        , {{ boxes.set_of(a, col(a.name, "code_" ~ side)) }} AS {{ col(a.name, "set_" ~ side) }}
{% endif %}
{% endfor %}
{% endfor %}
    FROM {{ rel("seed_boxes") }}
    UNION ALL
    SELECT
        node_id, turn, row_id, to_1
{% for side in (1, 2) %}
        , {{ col("size", side) }} + CAST({{ col("to", side) }} AS BIGINT)
{% endfor %}
{% for side in (1, 2) %}
        , CASE WHEN {{ col("to", side) }} THEN {{ col("grown", side) }} ELSE {{ col("penalty", side) }} END
{% endfor %}
{% for a in attributes %}
{% for side in (1, 2) %}
{% if a.ordered %}
        , CASE WHEN {{ col("to", side) }} THEN least({{ col(a.name, "low_" ~ side) }}, {{ col(a.name, "at") }}) ELSE {{ col(a.name, "low_" ~ side) }} END
        , CASE WHEN {{ col("to", side) }} THEN greatest({{ col(a.name, "high_" ~ side) }}, {{ col(a.name, "at") }}) ELSE {{ col(a.name, "high_" ~ side) }} END
{% elif a.hierarchy %}
        , CASE WHEN {{ col("to", side) }} THEN {{ boxes.grown_penalty(a, side) }} ELSE {{ col(a.name, "cost_" ~ side) }} END
{% else %}
        , CASE WHEN {{ col("to", side) }} THEN {{ boxes.grown_set(a, side) }} ELSE {{ col(a.name, "set_" ~ side) }} END
{% endif %}
{% endfor %}
{% endfor %}
    FROM (
        SELECT
            *,
            (size_1 + 1) * grown_1 - size_1 * penalty_1 AS growth_1,
            (size_2 + 1) * grown_2 - size_2 * penalty_2 AS growth_2,
            growth_1 < growth_2 OR (growth_1 = growth_2 AND size_1 <= size_2) AS to_1,
            NOT to_1 AS to_2
        FROM (
            SELECT sides.* EXCLUDE (turn, row_id, in_first), dealt_rows.* EXCLUDE (node_id)
{% for side in (1, 2) %}
                , CAST(0 AS DOUBLE){% for a in attributes %} + {{ boxes.grown_penalty(a, side) }}{% endfor %} AS {{ col("grown", side) }}
{% endfor %}
            FROM sides
            JOIN {{ rel("dealt_rows") }} AS dealt_rows
                ON dealt_rows.node_id = sides.node_id AND dealt_rows.turn = sides.turn + 1
        ) AS tried
    ) AS dealt
)
SELECT row_id, node_id, in_first FROM sides
UNION ALL
SELECT row_id_2, node_id, FALSE FROM {{ rel("seed_boxes") }}
