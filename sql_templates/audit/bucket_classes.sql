{#
relation = "class_counts"
grain = "one row per bucket and value"
key = ["class_id", "value"]
inputs = ["sat"]
params = []
columns = ["class_id", "value", "n"]
why = "Buckets as the classes of a table, so that the measures of any table can be taken of them."
#}
SELECT bid AS class_id, value, n
FROM {{ rel("sat") }}
