{#
relation = "settled_rows"
grain = "one row per released tuple"
key = ["row_id"]
inputs = ["placed_rows"]
params = ["boxes", "words"]
columns = ["row_id", "group_id", "root_id", "luck", "codes_{word}", "{span}_at", "mask_{mask}"]
why = "Groups numbered in the order of their places: groups with near numbers are alike."
#}
{% import "_macros/boxes.sql" as box with context %}
SELECT
    row_id,
    CAST(dense_rank() OVER (ORDER BY place) AS INTEGER) AS group_id,
    root_id,
    luck
{{ box.carried(boxes, words) }}
FROM {{ rel("placed_rows") }}
