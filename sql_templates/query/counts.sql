{#
relation = "counts"
grain = "one row per question"
key = ["question"]
inputs = ["question_units", "question_caps"]
params = []
columns = ["question", "n_must", "n_may", "expected", "estimated"]
paper = "Section 4.3: numbers of hits"
why = "Certain bounds of how many tuples satisfy a question: unit by unit (a bucket's values are used once each), and group by group (an end of a range, a member of a set belongs to somebody)."
#}
SELECT
    caps.question,
    caps.decided_least + greatest(0, coalesce(units.taken, 0) - caps.decided_must) AS n_must,
    caps.decided_most + greatest(0, least(caps.open_most, coalesce(units.takeable, 0) - caps.decided)) AS n_may,
    coalesce(units.expected, 0) AS expected,
    coalesce(units.estimated, 0) AS estimated
FROM {{ rel("question_caps") }} AS caps
LEFT JOIN (
    SELECT
        question,
        sum(CASE WHEN fits IS NULL THEN must ELSE greatest(0, must - (size - fits)) END) AS taken,
        sum(CASE WHEN fits IS NULL THEN may ELSE least(may, fits) END) AS takeable,
        sum(CASE WHEN fits IS NULL THEN expected ELSE expected * fits / size END) AS expected,
        sum(CASE WHEN fits IS NULL THEN estimated ELSE estimated * fits / size END) AS estimated
    FROM {{ rel("question_units") }}
    GROUP BY question
) AS units ON units.question = caps.question
