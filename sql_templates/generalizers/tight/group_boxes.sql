{#
relation = "group_boxes"
grain = "one row per group"
key = ["group_id"]
inputs = ["settled_rows", "domain_scales"]
params = ["boxes"]
columns = ["group_id", "root_id", "tuples", "{span}_low", "{span}_high", "mask_{mask}", "cost"]
why = "What every group shows, and what NCP charges for each of its tuples."
#}
{% import "_macros/boxes.sql" as box with context %}
SELECT
    boxes_of_groups.*,
    {{ box.cost(boxes, "") }} AS cost
FROM (
    SELECT
        group_id,
        min(root_id) AS root_id,
        count(*) AS tuples
{{ box.joined(boxes, true) }}
    FROM {{ rel("settled_rows") }}
    GROUP BY group_id
) AS boxes_of_groups
{{ box.with_scales(boxes) }}
