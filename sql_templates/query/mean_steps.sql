{#
relation = "mean_steps"
grain = "one row per question and run of equal values that may be taken"
key = []
inputs = ["valued_units"]
params = []
columns = ["question", "value", "low_taken", "low_more", "high_taken", "high_more"]
why = "Values in the order in which a mean would take them: how many of each are taken in any case, and how many may be, for the least mean (the smallest of a bucket first) and for the greatest (its largest first)."
#}
SELECT question, CAST(entry AS DOUBLE) AS value,
    count_if(place <= taken) AS low_taken, count_if(place > taken AND place <= takeable) AS low_more,
    count_if(place > entries - taken) AS high_taken, count_if(place <= entries - taken AND place > entries - takeable) AS high_more
FROM (
    SELECT question, taken, takeable, len(entries) AS entries, unnest(entries) AS entry, unnest(range(1, len(entries) + 1)) AS place
    FROM {{ rel("valued_units") }}
    WHERE entries IS NOT NULL
) AS occurrences
GROUP BY question, entry
UNION ALL
SELECT question, CAST(least AS DOUBLE), taken, takeable - taken, 0, 0
FROM {{ rel("valued_units") }}
WHERE entries IS NULL
UNION ALL
SELECT question, CAST(most AS DOUBLE), 0, 0, taken, takeable - taken
FROM {{ rel("valued_units") }}
WHERE entries IS NULL
