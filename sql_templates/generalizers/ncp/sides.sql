{#
relation = "sides"
grain = "one row per node that may split"
key = ["node_id"]
inputs = ["seed_boxes"]
params = ["attributes"]
columns = ["node_id", "turn", "row_id", "in_first", "size_1", "size_2", "penalty_1", "penalty_2", "{ordered}_low_1", "{ordered}_low_2", "{ordered}_high_1", "{ordered}_high_2", "{hierarchical}_cost_1", "{hierarchical}_cost_2", "{flat}_set_1", "{flat}_set_2"]
paper = "Algorithm 4, line 14: divide_table begins with the seeds"
why = "What is known of both sides after a turn; before the first, each side is its seed."
#}
{% import "_macros/sides.sql" as boxes with context %}
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
