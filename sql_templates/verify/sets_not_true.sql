{#
relation = "sets_not_true"
grain = "one row per group and value that its set or its tuples alone have, or that its set has twice"
key = []
inputs = ["linked_tuples", "groups", "source_rows"]
params = ["attribute"]
columns = ["gid"]
why = "The same as boxes_not_true, for attributes of many values: value by value. Both sides go into one aggregation, which costs half of joining them."
#}
SELECT mistaken.gid
FROM (
    SELECT gid, value
    FROM (
        SELECT gid, unnest({{ col(attribute.name, "set") }}) AS value, TRUE AS shown, CAST(NULL AS BOOLEAN) AS found
        FROM {{ rel("groups") }}
        UNION ALL
        SELECT gid, {{ col(attribute.name, "value") }}, NULL, TRUE
        FROM {{ rel("source_rows") }}
        POSITIONAL JOIN {{ rel("linked_tuples") }}
{% if attribute.flag is not none %}
        WHERE {{ col(attribute.name, "bid") }} IS NULL  -- that none is bucketed where the group shows a set is checked before
{% endif %}
    ) AS members
    WHERE gid IS NOT NULL AND value IS NOT NULL
    GROUP BY gid, value
    HAVING count(shown) <> 1 OR count(found) = 0
) AS mistaken
JOIN {{ rel("groups") }} AS judged ON judged.gid = mistaken.gid
WHERE judged.{{ col(attribute.name, "form") }} = 'Q'
