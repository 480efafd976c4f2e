{#
relation = "next_guesses"
grain = "one row per sampled tuple and value of its bucket"
key = ["rid", "value"]
inputs = ["guesses", "group_clues", "lessons"]
params = []
columns = ["rid", "gid", "bid", "value", "kind", "n", "chance"]
why = "Expectation: each value by what was learned about its kind (naive Bayes, one added to every count), then balanced (Sinkhorn): the chances of a tuple sum to 1, those of a value to its number in the bucket."
#}
WITH choices AS (
    SELECT place, count(DISTINCT clue) AS choices FROM {{ rel("lessons") }} GROUP BY place
),
kinds AS (
    SELECT place, kind, sum(weight) AS weight FROM {{ rel("lessons") }} GROUP BY place, kind
),
scores AS (
    SELECT
        members.gid,
        members.kind,
        sum(clues.share * ln((coalesce(lessons.weight, 0) + 1) / (coalesce(kinds.weight, 0) + choices.choices))) AS score
    FROM (SELECT DISTINCT gid, kind FROM {{ rel("guesses") }}) AS members
    JOIN {{ rel("group_clues") }} AS clues ON clues.gid = members.gid
    JOIN choices ON choices.place = clues.place
    LEFT JOIN kinds ON kinds.place = clues.place AND kinds.kind = members.kind
    LEFT JOIN {{ rel("lessons") }} AS lessons
        ON lessons.place = clues.place AND lessons.clue = clues.clue AND lessons.kind = members.kind
    GROUP BY members.gid, members.kind
),
weighed AS (
    SELECT guesses.*, exp(coalesce(score, 0) - max(coalesce(score, 0)) OVER (PARTITION BY rid)) * n + 1e-12 AS weight
    FROM {{ rel("guesses") }} AS guesses
    LEFT JOIN scores ON scores.gid = guesses.gid AND scores.kind = guesses.kind
)
{% for round in range(2) %}
, by_value_{{ round }} AS (
    SELECT * REPLACE (n * weight / sum(weight) OVER (PARTITION BY bid, value) AS weight) FROM {% if round %}by_tuple_{{ round - 1 }}{% else %}weighed{% endif %}

), by_tuple_{{ round }} AS (
    SELECT * REPLACE (weight / sum(weight) OVER (PARTITION BY rid) AS weight) FROM by_value_{{ round }}
)
{% endfor %}
SELECT rid, gid, bid, value, kind, n, weight AS chance
FROM by_tuple_1
