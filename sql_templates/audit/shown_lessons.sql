{#
relation = "shown_lessons"
grain = "one row per clue and kind of value that groups show together"
key = ["place", "clue", "kind"]
inputs = ["groups", "group_clues", "value_kinds"]
params = ["attribute"]
columns = ["place", "clue", "kind", "weight"]
why = "Groups that show one single value of a semi-sensitive attribute teach how it goes with the rest; a sensitive attribute is never shown."
#}
SELECT clues.place, clues.clue, value_kinds.kind, CAST(sum(shown.size * clues.share) AS DOUBLE) AS weight
FROM {{ rel("groups") }} AS shown
JOIN {{ rel("group_clues") }} AS clues ON clues.gid = shown.gid
JOIN {{ rel("value_kinds") }} AS value_kinds
{% if attribute.role == "sensitive" %}
    ON FALSE
{% elif attribute.ordered %}
    ON value_kinds.value = shown.{{ col(attribute.name, "lo") }}
WHERE shown.{{ col(attribute.name, "lo") }} = shown.{{ col(attribute.name, "hi") }}
{% else %}
    ON value_kinds.value = shown.{{ col(attribute.name, "set") }}[1]
WHERE len(shown.{{ col(attribute.name, "set") }}) = 1
{% endif %}
GROUP BY clues.place, clues.clue, value_kinds.kind
