{#
relation = "lessons"
grain = "one row per clue and kind of value"
key = ["place", "clue", "kind"]
inputs = ["guesses", "group_clues", "shown_lessons"]
params = []
columns = ["place", "clue", "kind", "score"]
why = "Maximization: how likely a clue is with a kind of value, as the guesses of the round before and the shown groups have it (naive Bayes, one added to every count), as a logarithm."
#}
WITH counted AS (
    SELECT place, clue, kind, sum(weight) AS weight
    FROM (
        SELECT clues.place, clues.clue, guesses.kind, sum(guesses.chance) AS weight
        FROM (SELECT gid, kind, sum(chance) AS chance FROM {{ rel("guesses") }} GROUP BY gid, kind) AS guesses
        JOIN {{ rel("group_clues") }} AS clues ON clues.gid = guesses.gid
        GROUP BY clues.place, clues.clue, guesses.kind
        UNION ALL
        SELECT place, clue, kind, weight FROM {{ rel("shown_lessons") }}
    ) AS lessons
    GROUP BY place, clue, kind
),
clues AS (
    SELECT DISTINCT place, clue, count(DISTINCT clue) OVER (PARTITION BY place) AS choices FROM counted
),
kinds AS (
    SELECT place, kind, sum(weight) AS weight FROM counted GROUP BY place, kind
)
SELECT clues.place, clues.clue, kinds.kind, ln((coalesce(counted.weight, 0) + 1) / (kinds.weight + clues.choices)) AS score
FROM clues
JOIN kinds ON kinds.place = clues.place
LEFT JOIN counted ON counted.place = clues.place AND counted.clue = clues.clue AND counted.kind = kinds.kind
