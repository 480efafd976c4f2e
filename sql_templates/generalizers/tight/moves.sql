{#
relation = "moves"
grain = "one row per loose tuple that is cheaper in another group near by"
key = ["row_id"]
inputs = ["loose_rows", "group_boxes", "domain_scales"]
params = ["boxes", "reach", "k"]
columns = ["row_id", "group_id", "to_group", "luck", "gain"]
why = "Its best group among the nearest in the tree that stay below 2k tuples with it. Of equally good ones the first."
#}
{% import "_macros/boxes.sql" as box with context %}
WITH tries AS (
    SELECT
        loose_rows.row_id,
        loose_rows.group_id,
        loose_rows.luck,
        loose_rows.relief,
        group_boxes.group_id AS to_group,
        group_boxes.tuples,
        group_boxes.cost
{% for a in boxes.spans %}
        , least(group_boxes.{{ col(a.name, "low") }}, loose_rows.{{ col(a.name, "at") }}) AS {{ col(a.name, "low_with") }}
        , greatest(group_boxes.{{ col(a.name, "high") }}, loose_rows.{{ col(a.name, "at") }}) AS {{ col(a.name, "high_with") }}
{% endfor %}
{% for mask in boxes.masks %}
        , group_boxes.{{ col("mask", mask) }} | loose_rows.{{ col("mask", mask) }} AS {{ col("mask", mask ~ "_with") }}
{% endfor %}
    FROM (
        SELECT *, group_id + unnest(range(-{{ reach }}, {{ reach }} + 1)) AS near_group
        FROM {{ rel("loose_rows") }}
    ) AS loose_rows
    JOIN {{ rel("group_boxes") }} AS group_boxes
        ON group_boxes.group_id = loose_rows.near_group AND group_boxes.root_id = loose_rows.root_id
    WHERE near_group <> loose_rows.group_id AND group_boxes.tuples < 2 * {{ k }} - 1
)
SELECT row_id, group_id, to_group, luck, gain
FROM (
    SELECT *, row_number() OVER (PARTITION BY row_id ORDER BY gain DESC, to_group) AS place
    FROM (
        SELECT tries.*, relief + tuples * cost - (tuples + 1) * {{ box.cost(boxes, "_with") }} AS gain
        FROM tries
        {{ box.with_scales(boxes) }}
    ) AS gains
    WHERE gain > 1e-9
) AS ranked
WHERE place = 1
