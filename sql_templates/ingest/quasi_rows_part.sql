{#
relation = "quasi_rows_part_{part}"
grain = "one row per source row, for some of the attributes"
key = ["row_id"]
inputs = ["source_rows", "quasi_domain_{attribute}"]
params = ["attributes", "words"]
columns = ["row_id", "pattern", "codes_{word}"]
paper = "Definition 8 (QI partition): the pattern says which attributes hold QI values"
why = "All that generalization may know of a person: codes of unflagged values; a flagged or NULL cell has no code."
#}
SELECT
    CAST(source_rows.rowid AS UINTEGER) AS row_id,
    concat(''
{% for a in attributes %}
{% if a.flag %}
        , CASE WHEN {{ col(a.name, "flagged") }} THEN 'S' WHEN {{ col(a.name, "value") }} IS NULL THEN 'N' ELSE 'Q' END
{% else %}
        , CASE WHEN {{ col(a.name, "value") }} IS NULL THEN 'N' ELSE 'Q' END
{% endif %}
{% endfor %}
    ) AS pattern
{% for word in words %}
    , CAST(0 AS BIGINT)
{% for a in attributes if a.word == word %}
        + (CAST(coalesce({{ col(a.name, "domain") }}.code, 0) AS BIGINT) << {{ a.shift }})
{% endfor %}
        AS {{ col("codes", word) }}
{% endfor %}
FROM {{ rel("source_rows") }} AS source_rows
{% for a in attributes %}
LEFT JOIN {{ rel("quasi_domain", a.name) }} AS {{ col(a.name, "domain") }}
    ON {{ col(a.name, "domain") }}.value = {{ col(a.name, "value") }}{% if a.flag %} AND NOT {{ col(a.name, "flagged") }}{% endif %}

{% endfor %}
