{#
relation = "other_value_counts"
grain = "one row per node without a cut so far, other attribute and value"
key = ["node_id", "attribute", "code"]
inputs = ["failed_rows"]
params = ["attributes"]
columns = ["node_id", "attribute", "node_tuples", "code", "tuples"]
paper = "Algorithm 3, lines 10 to 22: the next attribute is tried"
why = "All remaining attributes at once, but only for nodes whose widest attribute allows no cut."
#}
{% import "_macros/codes.sql" as codes with context %}
WITH cells AS (
    SELECT
        node_id,
        node_tuples,
        failed_attribute,
        unnest([{% for a in attributes %}{{ a.place }}{{ comma(loop.last) }}{% endfor %}]) AS attribute,
        unnest([
{% for a in attributes %}
            {{ codes.code_of(a) }}{{ comma(loop.last) }}
{% endfor %}
        ]) AS code
    FROM {{ rel("failed_rows") }}
)
SELECT node_id, attribute, node_tuples, code, count(*) AS tuples
FROM cells
WHERE attribute <> failed_attribute
GROUP BY ALL
