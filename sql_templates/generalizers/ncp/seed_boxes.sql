{#
relation = "seed_boxes"
grain = "one row per node that may split"
key = ["node_id"]
inputs = ["placed_rows", "seeds", "other_seeds"]
params = ["attributes"]
columns = ["node_id", "place_1", "place_2", "row_id_1", "row_id_2", "{ordered}_at_1", "{ordered}_at_2", "{unordered}_code_1", "{unordered}_code_2"]
paper = "Algorithm 4, line 14: divide_table begins with the seeds"
why = "Both seeds side by side: each is a side's first tuple and its first box."
#}
SELECT
    seeds.node_id,
    seeds.place AS place_1,
    other_seeds.place AS place_2,
    first_rows.row_id AS row_id_1,
    second_rows.row_id AS row_id_2
{% for a in attributes %}
{% if a.ordered %}
    , first_rows.{{ col(a.name, "at") }} AS {{ col(a.name, "at_1") }}
    , second_rows.{{ col(a.name, "at") }} AS {{ col(a.name, "at_2") }}
{% else %}
    , first_rows.{{ col(a.name, "code") }} AS {{ col(a.name, "code_1") }}
    , second_rows.{{ col(a.name, "code") }} AS {{ col(a.name, "code_2") }}
{% endif %}
{% endfor %}
FROM {{ rel("seeds") }} AS seeds
JOIN {{ rel("other_seeds") }} AS other_seeds ON other_seeds.node_id = seeds.node_id
JOIN {{ rel("placed_rows") }} AS first_rows
    ON first_rows.node_id = seeds.node_id AND first_rows.place = seeds.place
JOIN {{ rel("placed_rows") }} AS second_rows
    ON second_rows.node_id = seeds.node_id AND second_rows.place = other_seeds.place
