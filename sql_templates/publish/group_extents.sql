{#
relation = "group_extents"
grain = "one row per local equivalence group"
key = ["group_id"]
inputs = ["grouped_rows"]
params = ["attributes"]
columns = ["group_id", "root_id", "size", "{ordered}_low", "{ordered}_high"]
paper = "Algorithm 3, line 25: generalize"
why = "The box of a group: smallest and largest code of every ordered attribute."
#}
SELECT
    group_id,
    any_value(root_id) AS root_id,
    count(*) AS size
{% for a in attributes if a.ordered %}
    , min({{ col(a.name, "code") }}) AS {{ col(a.name, "low") }}
    , max({{ col(a.name, "code") }}) AS {{ col(a.name, "high") }}
{% endfor %}
FROM {{ rel("grouped_rows") }}
GROUP BY group_id
