{#
relation = "new_units"
grain = "one row per released tuple"
key = ["unit"]
inputs = ["source_rows", "rows_in_secret_order", "ledger_salt"]
params = ["by_unit", "release"]
columns = ["release", "unit"]
why = "Who is in a release, as digests keyed by the ledger's own secret: enough to find the same people again, no copy of the keys. Never part of a release."
#}
SELECT
    CAST({{ release }} AS BIGINT) AS release,
    unhex(substr(sha256(concat(salt, ':', CAST({% if by_unit %}truth.unit_key{% else %}truth.row_key{% endif %} AS VARCHAR))), 1, 32)) AS unit
FROM {{ rel("source_rows") }} AS truth
JOIN {{ rel("rows_in_secret_order") }} AS released ON released.row_id = truth.rowid
CROSS JOIN {{ rel("ledger_salt") }}
