{#
relation = "dealt_sides"
grain = "one row per node and turn of the block, with the last turn before it"
key = ["node_id", "turn"]
inputs = ["sides", "dealt_rows"]
params = ["attributes", "first_turn", "last_turn"]
columns = ["node_id", "turn", "row_id", "in_first", "size_1", "size_2", "penalty_1", "penalty_2", "{ordered}_low_1", "{ordered}_low_2", "{ordered}_high_1", "{ordered}_high_2", "{hierarchical}_cost_1", "{hierarchical}_cost_2", "{flat}_set_1", "{flat}_set_2"]
paper = "Algorithm 4, line 14: divide_table, tuple by tuple"
why = "Turn i deals tuple i of every node to the side where size * penalty grows less; ties go to the smaller side, then to the first. On one thread: DuckDB 2.0.0 is not safe to recurse on several. In blocks of turns: DuckDB 1.5 reads the block in every turn."
#}
{% import "_macros/sides.sql" as boxes with context %}
WITH RECURSIVE dealt_sides AS (
    SELECT * FROM {{ rel("sides") }}
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
            SELECT dealt_sides.* EXCLUDE (turn, row_id, in_first), dealt_rows.* EXCLUDE (node_id)
{% for side in (1, 2) %}
                , CAST(0 AS DOUBLE){% for a in attributes %} + {{ boxes.grown_penalty(a, side) }}{% endfor %} AS {{ col("grown", side) }}
{% endfor %}
            FROM dealt_sides
            JOIN {{ rel("dealt_rows") }} AS dealt_rows
                ON dealt_rows.node_id = dealt_sides.node_id AND dealt_rows.turn = dealt_sides.turn + 1
            WHERE dealt_rows.turn > {{ first_turn }} AND dealt_rows.turn <= {{ last_turn }}
        ) AS tried
    ) AS dealt
)
SELECT * FROM dealt_sides
