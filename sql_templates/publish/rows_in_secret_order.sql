{#
relation = "rows_in_secret_order"
grain = "one row per released tuple; its rowid + 1 is the released rid"
key = ["row_id"]
inputs = ["grouped_rows", "group_labels", "bucketed_rows_{bucketed}", "source_rows", "secret_keys"]
params = ["bucketed", "insensitive"]
columns = ["row_id", "gid", "{bucketed}_bid", "{insensitive}_value"]
paper = "Definition 10: IDT(ID, BID)"
why = "Sorted by a secret key, so that a rid tells nothing about the source's order."
#}
SELECT
    keyed_rows.row_id,
    group_labels.gid
{% for a in bucketed %}
    , {{ rel("bucketed_rows", a.name) }}.bid AS {{ col(a.name, "bid") }}
{% endfor %}
{% for a in insensitive %}
    , source_rows.{{ col(a.name, "value") }}
{% endfor %}
FROM (
    SELECT row_id, group_id, secret_key FROM {{ rel("grouped_rows") }} POSITIONAL JOIN {{ rel("secret_keys") }}
) AS keyed_rows
JOIN {{ rel("group_labels") }} AS group_labels ON group_labels.group_id = keyed_rows.group_id
{% for a in bucketed %}
LEFT JOIN {{ rel("bucketed_rows", a.name) }} ON {{ rel("bucketed_rows", a.name) }}.row_id = keyed_rows.row_id
{% endfor %}
{% if insensitive %}
JOIN {{ rel("source_rows") }} AS source_rows ON source_rows.rowid = keyed_rows.row_id
{% endif %}
ORDER BY keyed_rows.secret_key
