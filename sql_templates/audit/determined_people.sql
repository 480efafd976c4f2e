{#
relation = "determined_people"
grain = "one row for a pair of columns"
key = []
inputs = ["source_rows", "tuples"]
params = ["attribute", "clue", "least", "sampled"]
columns = ["bucketed", "determined"]
why = "People with a bucketed value that follows from another column: everybody with the same clue, at least k people, has the same value. No release can hide it from someone who knows the clue. Both tables are stored by rid, so they are put side by side."
#}
SELECT coalesce(sum(hidden), 0) AS bucketed, coalesce(sum(hidden) FILTER (WHERE alike AND people >= {{ least }}), 0) AS determined
FROM (
    SELECT
        count(*) AS people,
        count(cells.{{ col(attribute.name, "bid") }}) AS hidden,
        min(truth.{{ col(attribute.name, "value") }}) IS NOT DISTINCT FROM max(truth.{{ col(attribute.name, "value") }})
            AND count(truth.{{ col(attribute.name, "value") }}) IN (0, count(*)) AS alike
    FROM {{ rel("source_rows") }} AS truth
    POSITIONAL JOIN {{ rel("tuples") }} AS cells
    WHERE cells.rid <= {{ sampled }}
    GROUP BY truth.{{ col(clue.name, "value") }}
) AS clues
