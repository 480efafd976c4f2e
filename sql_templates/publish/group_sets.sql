{#
relation = "group_sets_{attribute}"
grain = "one row per distinct set of values of this unordered attribute (large domain: per group)"
key = ["members"]
inputs = ["group_extents", "grouped_rows", "quasi_domain_{attribute}"]
params = ["attribute"]
columns = ["members", "shown", "values"]
paper = "Algorithm 3, line 25: generalize"
why = "The sets of values that groups show, ascending; meaningless where the form says that a group shows none."
#}
{% import "_macros/codes.sql" as codes with context %}
{% import "_macros/dialect.sql" as dialect %}
{% if attribute.small_domain %}
SELECT sets.members, list(quasi_domain.value ORDER BY quasi_domain.code) AS shown, count(*) AS values
FROM (SELECT DISTINCT {{ col(attribute.name, "members") }} AS members FROM {{ rel("group_extents") }}) AS sets
JOIN {{ rel("quasi_domain", attribute.name) }} AS quasi_domain
    ON (sets.members & ({{ dialect.bit_of(col("code")) }})) <> 0
GROUP BY sets.members
{% else %}
SELECT
    sets.group_id AS members,
    list_transform(sets.codes, lambda code: dictionary.entries[code + 1]) AS shown,
    len(sets.codes) AS values
FROM (
    SELECT group_id, list_sort(list(code)) AS codes
    FROM (SELECT DISTINCT group_id, {{ codes.code_of(attribute) }} AS code FROM {{ rel("grouped_rows") }}) AS members
    GROUP BY group_id
) AS sets
CROSS JOIN (
    SELECT list(value ORDER BY code) AS entries FROM {{ rel("quasi_domain", attribute.name) }}
) AS dictionary
{% endif %}
