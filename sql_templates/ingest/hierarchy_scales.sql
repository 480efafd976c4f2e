{#
relation = "hierarchy_scales_{attribute}"
grain = "one row for the table"
key = []
inputs = ["quasi_domain_{attribute}", "hierarchy_leaves_{attribute}"]
params = ["attribute"]
columns = ["{attribute}_leaves", "{hierarchical}_level_{height}", "{hierarchical}_leaves_{height}"]
paper = "NCP of a categorical attribute: leaves under the lowest common ancestor / |A|"
why = "The ancestors of each code as lists, one per level, and how many leaves each covers: the lowest common ancestor of two codes is then a look-up."
#}
SELECT
    (SELECT count(*) FROM {{ rel("hierarchy_leaves", attribute.name) }}) AS {{ col(attribute.name, "leaves") }}
{% for level in attribute.hierarchy.levels %}
    , list({{ col("level", level) }} ORDER BY code) AS {{ col(attribute.name, "level_" ~ level) }}
    , list({{ col("leaves", level) }} ORDER BY code) AS {{ col(attribute.name, "leaves_" ~ level) }}
{% endfor %}
FROM {{ rel("quasi_domain", attribute.name) }} AS quasi_domain
JOIN {{ rel("hierarchy_leaves", attribute.name) }} AS hierarchy_leaves ON hierarchy_leaves.value = quasi_domain.value
