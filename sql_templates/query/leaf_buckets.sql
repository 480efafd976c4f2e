{#
relation = "leaf_buckets_{attribute}"
grain = "one row per condition and bucket of its attribute"
key = ["leaf", "bid"]
inputs = ["sat_{attribute}", "leaf_values_{semi}"]
params = ["attribute", "leaves"]
columns = ["leaf", "bid", "size", "hits"]
paper = "Section 4.3: Pro_t(A) of a local bucket"
why = "How many of a bucket's values satisfy a condition: exact, as every value belongs to one of its tuples. Where the attribute is also shown, its values have been judged already; NULL is judged here."
#}
{% set numbers %}[{% for leaf in leaves %}{{ leaf.number }}{{ comma(loop.last) }}{% endfor %}]{% endset %}
{% if attribute.role == "semi-sensitive" %}
SELECT leaf, bid, CAST(sum(n) AS BIGINT) AS size, CAST(sum(n * holds) AS BIGINT) AS hits
FROM (
    SELECT leaf_values.leaf, sat.bid, sat.n, leaf_values.holds
    FROM {{ rel("sat", attribute.name) }} AS sat
    JOIN {{ rel("leaf_values", attribute.name) }} AS leaf_values ON leaf_values.value = sat.value
    UNION ALL
    SELECT unnest({{ numbers }}), bid, n, unnest([{% for leaf in leaves %}{% if leaf.holds_at_null %}1{% else %}0{% endif %}{{ comma(loop.last) }}{% endfor %}])
    FROM {{ rel("sat", attribute.name) }}
    WHERE value IS NULL
) AS judged
{% else %}
SELECT leaf, bid, CAST(sum(n) AS BIGINT) AS size, CAST(sum(n * holds) AS BIGINT) AS hits
FROM (
    SELECT bid, n, unnest({{ numbers }}) AS leaf, unnest([
{% for leaf in leaves %}
        CAST(coalesce(({{ leaf.sql }}), FALSE) AS INTEGER){{ comma(loop.last) }}
{% endfor %}
    ]) AS holds
    FROM {{ rel("sat", attribute.name) }}
) AS judged
{% endif %}
GROUP BY leaf, bid
