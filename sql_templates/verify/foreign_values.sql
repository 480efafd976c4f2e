{#
relation = "foreign_values"
grain = "one row for a domain table that lists other values than the release shows"
key = []
inputs = ["helper", "groups", "sat"]
params = ["attribute"]
columns = ["foreign_entries", "missing_entries"]
why = "A domain table is made of released tables, or declared by the policy: any other value in it was withheld, suppressed or never released. One that lacks a shown value would mislead answers."
#}
{% from "_macros/shown.sql" import shown_values with context %}
SELECT foreign_entries, missing_entries
FROM (
    SELECT
        count(*) FILTER (WHERE shown.value IS NULL) AS foreign_entries,
        count(*) FILTER (WHERE listed.value IS NULL) AS missing_entries
    FROM (SELECT value FROM {{ rel("helper") }} WHERE NOT declared) AS listed
    FULL JOIN (
        SELECT value
        FROM (
            {{ shown_values(attribute) }}
        ) AS released
        WHERE value IS NOT NULL
    ) AS shown ON shown.value = listed.value
) AS compared
WHERE foreign_entries > 0 OR missing_entries > 0
