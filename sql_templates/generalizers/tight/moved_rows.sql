{#
relation = "moved_rows"
grain = "one row per released tuple"
key = ["row_id"]
inputs = ["settled_rows", "chosen_moves"]
params = ["boxes", "words"]
columns = ["row_id", "group_id", "root_id", "luck", "codes_{word}", "{span}_at", "mask_{mask}"]
why = "The groups after a round of moves; they take the place of settled_rows."
#}
{% import "_macros/boxes.sql" as box with context %}
SELECT
    settled_rows.row_id,
    coalesce(chosen_moves.to_group, settled_rows.group_id) AS group_id,
    settled_rows.root_id,
    settled_rows.luck
{{ box.carried(boxes, words) }}
FROM {{ rel("settled_rows") }} AS settled_rows
LEFT JOIN {{ rel("chosen_moves") }} AS chosen_moves ON chosen_moves.row_id = settled_rows.row_id
