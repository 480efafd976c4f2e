{#
relation = "cell_facts"
grain = "one row for the attribute"
key = []
inputs = ["groups", "domain_{attribute}"]
params = ["attribute"]
columns = ["withheld", "nulls", "declared"]
why = "Whether cells are withheld or NULL, and whether the policy declared which values there can be: what decides how a condition on the attribute is judged."
#}
SELECT
    coalesce(sum(size) FILTER (WHERE {{ col(attribute.name, "form") }} = 'W'), 0) AS withheld,
    coalesce(sum(size) FILTER (WHERE {{ col(attribute.name, "form") }} = 'Q'
        AND {% if attribute.ordered %}{{ col(attribute.name, "lo") }} IS NULL{% else %}{{ col(attribute.name, "set") }}[1] IS NULL{% endif %}), 0) AS nulls,
    (SELECT count(*) FROM {{ rel("domain", attribute.name) }} WHERE declared) AS declared
FROM {{ rel("groups") }}
