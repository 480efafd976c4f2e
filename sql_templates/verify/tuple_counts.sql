{#
relation = "tuple_counts"
grain = "one row per gid that some released tuple has"
key = ["gid"]
inputs = ["tuples"]
params = ["bucketed"]
columns = ["gid", "tuples", "{bucketed}_buckets"]
why = "How many tuples a group really has, and how many of them point to a bucket of each attribute: counted once for several checks."
#}
SELECT
    gid,
    count(*) AS tuples
{% for a in bucketed %}
    , count({{ col(a.name, "bid") }}) AS {{ col(a.name, "buckets") }}
{% endfor %}
FROM {{ rel("tuples") }}
GROUP BY gid
