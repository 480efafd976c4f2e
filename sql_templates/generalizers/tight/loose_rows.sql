{#
relation = "loose_rows"
grain = "one row per tuple that its group can spare and that costs it something"
key = ["row_id"]
inputs = ["settled_rows", "group_boxes", "domain_scales"]
params = ["boxes", "k"]
columns = ["row_id", "group_id", "root_id", "luck", "{span}_at", "mask_{mask}", "relief"]
why = "`relief` is what NCP charges less when the tuple leaves, from the box of the group's other tuples."
#}
{% import "_macros/boxes.sql" as box with context %}
SELECT
    row_id,
    group_id,
    root_id,
    luck
{% for a in boxes.spans %}
    , {{ col(a.name, "at") }}
{% endfor %}
{% for mask in boxes.masks %}
    , {{ col("mask", mask) }}
{% endfor %}
    , tuples * cost - (tuples - 1) * {{ box.cost(boxes, "_rest") }} AS relief
FROM (
    SELECT
        settled_rows.*,
        group_boxes.tuples,
        group_boxes.cost
{% for a in boxes.spans %}
        , min({{ col(a.name, "at") }}) OVER the_others AS {{ col(a.name, "low_rest") }}
        , max({{ col(a.name, "at") }}) OVER the_others AS {{ col(a.name, "high_rest") }}
{% endfor %}
{% for mask in boxes.masks %}
        , bit_or(settled_rows.{{ col("mask", mask) }}) OVER the_others AS {{ col("mask", mask ~ "_rest") }}
{% endfor %}
    FROM {{ rel("settled_rows") }} AS settled_rows
    JOIN {{ rel("group_boxes") }} AS group_boxes ON group_boxes.group_id = settled_rows.group_id
    WHERE group_boxes.tuples > {{ k }}
    WINDOW the_others AS (
        PARTITION BY settled_rows.group_id ORDER BY settled_rows.luck
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW
    )
) AS rows_and_rests
{{ box.with_scales(boxes) }}
WHERE relief > 1e-9
