{#
relation = "lessons"
grain = "one row per clue and kind of value that were seen together"
key = ["place", "clue", "kind"]
inputs = ["guesses", "group_clues", "shown_lessons"]
params = []
columns = ["place", "clue", "kind", "weight"]
why = "Maximization: how often a clue goes with a kind of value, as the guesses of the round before and the shown groups have it."
#}
SELECT place, clue, kind, sum(weight) AS weight
FROM (
    SELECT clues.place, clues.clue, guesses.kind, sum(guesses.chance * clues.share) AS weight
    FROM (SELECT gid, kind, sum(chance) AS chance FROM {{ rel("guesses") }} GROUP BY gid, kind) AS guesses
    JOIN {{ rel("group_clues") }} AS clues ON clues.gid = guesses.gid
    GROUP BY clues.place, clues.clue, guesses.kind
    UNION ALL
    SELECT place, clue, kind, weight FROM {{ rel("shown_lessons") }}
) AS seen
GROUP BY place, clue, kind
