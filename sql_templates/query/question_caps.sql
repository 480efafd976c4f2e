{#
relation = "question_caps"
grain = "one row per question"
key = ["question"]
inputs = ["group_verdicts", "bucket_caps"]
params = ["questions", "has_buckets"]
columns = ["question", "decided", "decided_must", "decided_most", "decided_least", "open_most"]
why = "What groups say about the number of tuples that satisfy a question: those that no bucket has to decide, and at most how many of the others."
#}
SELECT
    questions.question,
    coalesce(sum(size) FILTER (WHERE NOT open), 0) AS decided,
    coalesce(sum(size) FILTER (WHERE NOT open AND least = size), 0) AS decided_must,
    coalesce(sum(group_verdicts.most) FILTER (WHERE NOT open), 0) AS decided_most,
    coalesce(sum(least) FILTER (WHERE NOT open), 0) AS decided_least,
    least(coalesce(sum(group_verdicts.most) FILTER (WHERE open), 0){% if has_buckets %}, min(bucket_caps.most){% endif %}) AS open_most
FROM (SELECT unnest(range({{ questions }})) AS question) AS questions
LEFT JOIN {{ rel("group_verdicts") }} AS group_verdicts ON group_verdicts.question = questions.question
{% if has_buckets %}
LEFT JOIN {{ rel("bucket_caps") }} AS bucket_caps ON bucket_caps.question = questions.question
{% endif %}
GROUP BY questions.question
