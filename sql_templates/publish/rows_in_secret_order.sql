{#
relation = "rows_in_secret_order"
grain = "one row per released tuple; its rowid + 1 is the released rid"
key = ["row_id"]
inputs = ["linked_rows", "secret_keys"]
params = ["bucketed", "insensitive"]
columns = ["row_id", "gid", "{bucketed}_bid", "{insensitive}_value"]
paper = "Definition 10: IDT(ID, BID)"
why = "Sorted by a secret key, so that a rid tells nothing about the source's order."
#}
SELECT
    row_id,
    gid
{% for a in bucketed %}
    , {{ col(a.name, "bid") }}
{% endfor %}
{% for a in insensitive %}
    , {{ col(a.name, "value") }}
{% endfor %}
FROM {{ rel("linked_rows") }}
POSITIONAL JOIN {{ rel("secret_keys") }}
ORDER BY secret_key
