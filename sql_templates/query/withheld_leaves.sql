{#
relation = "withheld_leaves_{attribute}"
grain = "one row per condition on an attribute of which cells are withheld"
key = ["leaf"]
inputs = ["domain_{declared}", "leaf_values_{attribute}"]
params = ["attribute", "leaves", "declared"]
columns = ["leaf", "may", "must", "share"]
why = "A withheld cell may hold any value of the declared domain, else any value of its type (all two of BOOLEAN), or NULL: never anything computed from data. What the release shows feeds the estimate only."
#}
{% from "_macros/ranges.sql" import touches with context %}
{% set both = attribute.family == "boolean" and declared == "nothing" %}
{% set known = declared == "values" or both %}
{% set first %}min(value){% endset %}
{% set last %}max(value){% endset %}
{% macro at_null(leaf) %}{% if leaf.holds_at_null %}TRUE{% else %}FALSE{% endif %}{% endmacro %}
SELECT verdicts.leaf, verdicts.may, verdicts.must, coalesce(shares.share, 0.5) AS share
FROM (
    SELECT
        unnest([{% for leaf in leaves %}{{ leaf.number }}{{ comma(loop.last) }}{% endfor %}]) AS leaf,
        unnest([
{% for leaf in leaves %}
            {{ at_null(leaf) }} OR {% if known %}coalesce(bool_or({{ leaf.sql }}), FALSE)
            {%- elif declared == "span" and leaf.line %}{{ touches(leaf.line.true, first, last) }}
            {%- elif leaf.line and not leaf.line.true %}FALSE{% else %}TRUE{% endif %}{{ comma(loop.last) }}
{% endfor %}
        ]) AS may,
        unnest([
{% for leaf in leaves %}
            {{ at_null(leaf) }} AND {% if known %}coalesce(bool_and(coalesce(({{ leaf.sql }}), FALSE)), TRUE)
            {%- elif declared == "span" and leaf.line %}NOT {{ touches(leaf.line.other, first, last) }}
            {%- elif leaf.line and not leaf.line.other %}TRUE{% else %}FALSE{% endif %}{{ comma(loop.last) }}
{% endfor %}
        ]) AS must
{% if both %}
    FROM (VALUES (TRUE), (FALSE)) AS type_values (value)
{% elif declared != "nothing" %}
    FROM {{ rel("domain", attribute.name) }}
    WHERE declared
    HAVING TRUE
{% endif %}
) AS verdicts
LEFT JOIN (
    SELECT leaf, sum(weight * holds) / nullif(sum(weight), 0) AS share
    FROM {{ rel("leaf_values", attribute.name) }}
    GROUP BY leaf
) AS shares ON shares.leaf = verdicts.leaf
