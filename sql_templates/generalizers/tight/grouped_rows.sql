{#
relation = "grouped_rows"
grain = "one row per released tuple"
key = ["row_id"]
inputs = ["settled_rows"]
params = ["words"]
columns = ["row_id", "group_id", "codes_{word}"]
why = "The generalizer's result: which tuple is in which group, with the codes that the group's box is made of."
#}
SELECT
    row_id,
    group_id
{% for word in words %}
    , {{ col("codes", word) }}
{% endfor %}
FROM {{ rel("settled_rows") }}
