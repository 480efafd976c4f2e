{#
relation = "linked_rows"
grain = "one row per released tuple"
key = ["row_id"]
inputs = ["grouped_rows", "group_labels", "bucketed_rows_{bucketed}", "source_rows"]
params = ["bucketed", "insensitive"]
columns = ["row_id", "gid", "{bucketed}_bid", "{insensitive}_value"]
paper = "Definition 11 (LGB): every tuple in one group, every sensitive value in one bucket"
why = "Each tuple with its published group and buckets."
#}
SELECT
    grouped_rows.row_id,
    group_labels.gid
{% for a in bucketed %}
    , {{ rel("bucketed_rows", a.name) }}.bid AS {{ col(a.name, "bid") }}
{% endfor %}
{% for a in insensitive %}
    , source_rows.{{ col(a.name, "value") }}
{% endfor %}
FROM {{ rel("grouped_rows") }} AS grouped_rows
JOIN {{ rel("group_labels") }} AS group_labels ON group_labels.group_id = grouped_rows.group_id
{% for a in bucketed %}
LEFT JOIN {{ rel("bucketed_rows", a.name) }} ON {{ rel("bucketed_rows", a.name) }}.row_id = grouped_rows.row_id
{% endfor %}
{% if insensitive %}
JOIN {{ rel("source_rows") }} AS source_rows ON source_rows.rowid = grouped_rows.row_id
{% endif %}
