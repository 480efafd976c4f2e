{#
relation = "declared_otherwise"
grain = "one row for a domain table that declares other values than the policy"
key = []
inputs = ["helper", "domain_texts"]
params = ["type"]
columns = ["foreign_entries", "missing_entries"]
why = "Declared values are the policy's alone: any other one could be a value that was withheld."
#}
SELECT foreign_entries, missing_entries
FROM (
    SELECT
        count(*) FILTER (WHERE policy.value IS NULL) AS foreign_entries,
        count(*) FILTER (WHERE listed.value IS NULL) AS missing_entries
    FROM (SELECT value FROM {{ rel("helper") }} WHERE declared) AS listed
    FULL JOIN (
        SELECT DISTINCT TRY_CAST(text AS {{ type }}) AS value FROM {{ rel("domain_texts") }}
    ) AS policy ON policy.value = listed.value
) AS compared
WHERE foreign_entries > 0 OR missing_entries > 0
