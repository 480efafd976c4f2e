{#
relation = "crosswalk_facts"
grain = "one row for the crosswalk"
key = []
inputs = ["given_crosswalk", "audited_source"]
params = ["row_key"]
columns = ["listed", "linked", "different", "least", "most", "source_rows", "source_keys", "found"]
why = "The crosswalk must name every source row once, and every rid from 1 once."
#}
SELECT
    count(*) AS listed,
    count(rid) AS linked,
    count(DISTINCT rid) AS different,
    min(rid) AS least,
    max(rid) AS most,
    (SELECT count(*) FROM {{ rel("audited_source") }}) AS source_rows,
    (SELECT count({% if row_key %}DISTINCT row_key{% else %}*{% endif %}) FROM {{ rel("audited_source") }}) AS source_keys,
    (
        SELECT count(*)
        FROM {{ rel("given_crosswalk") }} AS links
        JOIN {{ rel("audited_source") }} AS known ON {% if row_key %}known.row_key{% else %}known.rowid{% endif %} = links.row
    ) AS found
FROM {{ rel("given_crosswalk") }}
