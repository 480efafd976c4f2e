{#
relation = "ledger_overlap"
grain = "one row for the ledger"
key = []
inputs = ["known_units", "new_units"]
params = []
columns = ["units", "known", "releases"]
why = "How many of the people about to be released are in earlier releases, and in how many."
#}
SELECT
    (SELECT count(*) FROM {{ rel("new_units") }}) AS units,
    count(DISTINCT known.unit) AS known,
    count(DISTINCT known.release) AS releases
FROM {{ rel("known_units") }} AS known
JOIN {{ rel("new_units") }} AS new ON new.unit = known.unit
