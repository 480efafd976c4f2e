{#
relation = "cell_facts"
grain = "one row, with a few numbers for each attribute"
key = []
inputs = ["groups", "domain_{shown}", "sat_{flagged}", "tuples"]
params = ["attributes"]
columns = ["{shown}_withheld", "{shown}_nulls", "{shown}_declared", "{flagged}_bucketed_nulls", "{plain}_nulls"]
why = "Whether cells are withheld or NULL, how many values the policy declared, and how many bucketed values, or values released as they are, are NULL: what decides how a condition on an attribute is judged. All attributes that are asked of in one statement."
#}
SELECT
{% for a in attributes %}
{% set comes_last = loop.last %}
{% if a.role == "insensitive" %}
    (SELECT count(*) FROM {{ rel("tuples") }} WHERE {{ col(a.name) }} IS NULL) AS {{ col(a.name, "nulls") }}{{ comma(comes_last) }}
{% elif a.role != "sensitive" %}
    coalesce(sum(size) FILTER (WHERE {{ col(a.name, "form") }} = 'W'), 0) AS {{ col(a.name, "withheld") }},
    coalesce(sum(size) FILTER (WHERE {{ col(a.name, "form") }} = 'Q'
        AND {% if a.ordered %}{{ col(a.name, "lo") }} IS NULL{% else %}{{ col(a.name, "set") }}[1] IS NULL{% endif %}), 0) AS {{ col(a.name, "nulls") }},
    (SELECT count(*) FROM {{ rel("domain", a.name) }} WHERE declared) AS {{ col(a.name, "declared") }}{{ comma(comes_last and a.principle is none) }}
{% endif %}
{% if a.principle is not none %}
    (SELECT coalesce(sum(n) FILTER (WHERE value IS NULL), 0) FROM {{ rel("sat", a.name) }}) AS {{ col(a.name, "bucketed_nulls") }}{{ comma(comes_last) }}
{% endif %}
{% endfor %}
FROM {{ rel("groups") }}
