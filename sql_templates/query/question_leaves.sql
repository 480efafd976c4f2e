{#
relation = "question_leaves"
grain = "one row per question and condition that must hold for it"
key = ["question", "leaf"]
inputs = []
params = ["pairs"]
columns = ["question", "leaf", "conditions"]
why = "Which conditions a question is made of: the only thing that differs between questions of a chunk."
#}
SELECT *, count(*) OVER (PARTITION BY question) AS conditions
FROM (SELECT
    unnest(CAST([{% for question, _ in pairs %}{{ question }}{{ comma(loop.last) }}{% endfor %}] AS INTEGER[])) AS question,
    unnest(CAST([{% for _, leaf in pairs %}{{ leaf }}{{ comma(loop.last) }}{% endfor %}] AS INTEGER[])) AS leaf
) AS pairs
