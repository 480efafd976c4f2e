{#
relation = "hierarchy_leaves_{attribute}"
grain = "one row per leaf of the attribute's hierarchy; leaves are numbered from 0, depth first"
key = ["leaf"]
inputs = ["hierarchy_paths_{attribute}"]
params = ["attribute"]
columns = ["leaf", "value", "level_{height}", "leaves_{height}"]
why = "Leaves as values of the attribute's type; per level below the root the ancestor's number and how many leaves it covers."
#}
SELECT
    leaf,
    CAST(text AS {{ attribute.type }}) AS value
{% for level in attribute.hierarchy.levels %}
    , {{ col("level", level) }}
    , {{ col("leaves", level) }}
{% endfor %}
FROM {{ rel("hierarchy_paths", attribute.name) }}
