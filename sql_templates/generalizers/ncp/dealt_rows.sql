{#
relation = "dealt_rows"
grain = "one row per tuple that is dealt to a side: all but the seeds"
key = ["node_id", "turn"]
inputs = ["placed_rows", "seed_boxes", "domain_scales"]
params = ["attributes"]
columns = ["row_id", "node_id", "turn", "{ordered}_at", "{flat}_code", "{hierarchical}_from_1", "{hierarchical}_from_2"]
paper = "Algorithm 4, line 14: divide_table"
why = "Turns without gaps from 1, sorted by them so that a block is read alone, and what is known of a tuple before any is dealt: with a hierarchy, its penalty together with each seed."
#}
{% import "_macros/codes.sql" as codes with context %}
SELECT
    placed_rows.row_id,
    placed_rows.node_id,
    placed_rows.place
        - CAST(place_1 < placed_rows.place AS INTEGER)
        - CAST(place_2 < placed_rows.place AS INTEGER) AS turn
{% for a in attributes %}
{% if a.ordered %}
    , placed_rows.{{ col(a.name, "at") }}
{% elif a.hierarchy %}
{% for side in (1, 2) %}
{% set seed_code = col(a.name, "code_" ~ side) %}
{% set low %}least({{ col(a.name, "code") }}, {{ seed_code }}){% endset %}
{% set high %}greatest({{ col(a.name, "code") }}, {{ seed_code }}){% endset %}
    , CAST({{ codes.hierarchy_cost(a, low, high) }} AS DOUBLE) AS {{ col(a.name, "from_" ~ side) }}
{% endfor %}
{% else %}
    , placed_rows.{{ col(a.name, "code") }}
{% endif %}
{% endfor %}
FROM {{ rel("placed_rows") }} AS placed_rows
JOIN {{ rel("seed_boxes") }} AS seed_boxes ON seed_boxes.node_id = placed_rows.node_id
CROSS JOIN {{ rel("domain_scales") }} AS domain_scales
WHERE placed_rows.place <> place_1 AND placed_rows.place <> place_2
ORDER BY turn
