{#
relation = "determined_people"
grain = "one row for a pair of columns"
key = []
inputs = ["source_rows", "linked_tuples"]
params = ["attribute", "clue", "least"]
columns = ["bucketed", "determined"]
why = "People with a bucketed value that follows from another column: everybody with the same clue, at least k people, has the same value. No release can hide it from someone who knows the clue."
#}
SELECT coalesce(sum(hidden), 0) AS bucketed, coalesce(sum(hidden) FILTER (WHERE alike AND people >= {{ least }}), 0) AS determined
FROM (
    SELECT
        count(*) AS people,
        count(cells.{{ col(attribute.name, "bid") }}) AS hidden,
        min(truth.{{ col(attribute.name, "value") }}) IS NOT DISTINCT FROM max(truth.{{ col(attribute.name, "value") }})
            AND count(truth.{{ col(attribute.name, "value") }}) IN (0, count(*)) AS alike
    FROM {{ rel("source_rows") }} AS truth
    JOIN {{ rel("linked_tuples") }} AS cells ON cells.row_id = truth.rowid
    GROUP BY truth.{{ col(clue.name, "value") }}
) AS clues
