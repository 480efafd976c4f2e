{#
relation = "quasi_rows_part_{part}"
grain = "one row per source row, for some of the attributes"
key = ["row_id"]
inputs = ["source_rows", "quasi_domain_{attribute}"]
params = ["attributes", "words"]
columns = ["row_id", "pattern", "codes_{word}"]
paper = "Definition 8 (QI partition): the pattern says which attributes hold QI values"
why = "All that generalization may know of a person: codes of unflagged values; a flagged or NULL cell has no code. Rows without a NULL, mostly all, spell their pattern with a letter for each flag and whole pieces between."
#}
{% macro letters_without_null() -%}
''
{%- set pending = namespace(shown=0) -%}
{%- for a in attributes -%}
{%- if a.flag -%}
{%- if pending.shown %}, '{% for _ in range(pending.shown) %}Q{% endfor %}'{% endif -%}
{%- set pending.shown = 0 -%}
, CASE WHEN {{ col(a.name, "flagged") }} THEN 'S' ELSE 'Q' END
{%- else -%}{%- set pending.shown = pending.shown + 1 -%}{%- endif -%}
{%- endfor -%}
{%- if pending.shown %}, '{% for _ in range(pending.shown) %}Q{% endfor %}'{% endif -%}
{%- endmacro %}
SELECT
    CAST(source_rows.rowid AS UINTEGER) AS row_id,
    CASE WHEN TRUE
{% for a in attributes %}
        AND {{ col(a.name, "value") }} IS NOT NULL
{% endfor %}
        THEN concat({{ letters_without_null() }})
        ELSE concat(''
{% for a in attributes %}
            , CASE {% if a.flag %}WHEN {{ col(a.name, "flagged") }} THEN 'S' {% endif %}WHEN {{ col(a.name, "value") }} IS NULL THEN 'N' ELSE 'Q' END
{% endfor %}
        )
    END AS pattern
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
