{#
relation = "leaf_values_{attribute}"
grain = "one row per condition and value that the release shows of its attribute, or that a listed order names"
key = ["leaf", "value"]
inputs = ["domain_{attribute}"]
params = ["attribute", "leaves", "measured"]
columns = ["leaf", "value", "weight", "pull", "holds", "rank", "rank_holds", "upto", "upto_holds", "amount_holds"]
paper = "Section 4.3: Pro_t(A), the values that satisfy a predicate"
why = "Each condition is evaluated once per value, as SQL; running counts and pulls (and pull x value, where the attribute is summed) give the share of any range as one difference. A value's pull in a cell that shows several grows less than its weight: groups that could be told apart by a frequent value have been."
#}
SELECT
    leaf, value, weight, pull, holds,
    row_number() OVER so_far AS rank,
    sum(holds) OVER so_far AS rank_holds,
    sum(pull) OVER so_far AS upto,
    sum(pull * holds) OVER so_far AS upto_holds,
    {% if measured %}sum(pull * holds * CAST(value AS DOUBLE)) OVER so_far{% else %}CAST(NULL AS DOUBLE){% endif %} AS amount_holds
FROM (
    SELECT
        value,
        weight,
        pow(weight, {% if attribute.ordered %}0.75{% else %}0.5{% endif %}) AS pull,
        unnest([{% for leaf in leaves %}{{ leaf.number }}{{ comma(loop.last) }}{% endfor %}]) AS leaf,
        unnest([
{% for leaf in leaves %}
            CAST(coalesce(({{ leaf.sql }}), FALSE) AS INTEGER){{ comma(loop.last) }}
{% endfor %}
        ]) AS holds
    FROM (
{% if attribute.words %}
        SELECT words.value, coalesce(domain.weight, 0) AS weight
        FROM (SELECT unnest([{% for word in attribute.words %}{{ lit(word) }}{{ comma(loop.last) }}{% endfor %}]) AS value) AS words
        LEFT JOIN {{ rel("domain", attribute.name) }} AS domain ON domain.value = words.value AND NOT domain.declared
{% else %}
        SELECT value, weight FROM {{ rel("domain", attribute.name) }} WHERE NOT declared
{% endif %}
    ) AS listed
) AS judged
WINDOW so_far AS (PARTITION BY leaf ORDER BY value ROWS UNBOUNDED PRECEDING)
