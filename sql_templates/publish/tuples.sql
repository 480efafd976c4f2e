{#
relation = "tuples"
grain = "one row per released tuple, in the order of rid"
key = ["rid"]
inputs = ["rows_in_secret_order"]
params = ["bucketed", "insensitive"]
columns = ["rid", "gid", "{bucketed}_bid", "{insensitive}"]
paper = "Definition 11 (LGB)"
why = "Links a tuple to its group and its buckets; everything else is in groups and sat tables. The table it reads is stored in this order."
#}
SELECT
    rowid + 1 AS rid,
    CAST(gid AS BIGINT) AS gid
{% for a in bucketed %}
    , CAST({{ col(a.name, "bid") }} AS BIGINT) AS {{ col(a.name, "bid") }}
{% endfor %}
{% for a in insensitive %}
    , {{ col(a.name, "value") }} AS {{ col(a.name) }}
{% endfor %}
FROM {{ rel("rows_in_secret_order") }}
