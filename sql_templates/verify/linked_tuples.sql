{#
relation = "linked_tuples"
grain = "one row per source row, stored in the source's order"
key = ["source_row"]
inputs = ["tuples", "row_links", "source_rows"]
params = ["bucketed", "suppressed"]
columns = ["source_row", "gid", "{bucketed}_bid"]
why = "What was released of each source row; without a gid where it was suppressed. Sorted once, so that checks put it beside the source instead of joining; that source_row is dense from 1 is checked before (ids_out_of_order). Released tuples and links are both stored by rid, which is checked too."
#}
SELECT source_row, gid{% for a in bucketed %}, {{ col(a.name, "bid") }}{% endfor %}

FROM (
    SELECT
        links.row_id + 1 AS source_row,
        cells.gid
{% for a in bucketed %}
        , cells.{{ col(a.name, "bid") }}
{% endfor %}
    FROM {{ rel("tuples") }} AS cells
    POSITIONAL JOIN {{ rel("row_links") }} AS links
{% if suppressed %}
    UNION ALL
    SELECT rowid + 1, NULL{% for a in bucketed %}, NULL{% endfor %}

    FROM {{ rel("source_rows") }}
    WHERE rowid NOT IN (SELECT row_id FROM {{ rel("row_links") }})
{% endif %}
) AS linked
ORDER BY source_row
