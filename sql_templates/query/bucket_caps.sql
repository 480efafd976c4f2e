{#
relation = "bucket_caps"
grain = "one row per question with a condition on a bucketed attribute"
key = ["question"]
inputs = ["group_verdicts", "question_hidden", "question_own", "leaf_buckets_{bucketed}", "leaf_cells_{semi}"]
params = ["bucketed"]
columns = ["question", "most"]
why = "Where a bucket has yet to decide, at most as many tuples satisfy its condition as the SAT has satisfying values, beside those whose group shows the attribute. The least over a question's conditions."
#}
SELECT conditions.question, CAST(min(satisfying.hits + coalesce(beside.most, 0)) AS BIGINT) AS most
FROM (
    SELECT question, leaf FROM {{ rel("question_hidden") }} UNION SELECT question, leaf FROM {{ rel("question_own") }}
) AS conditions
JOIN (
{% for a in bucketed %}
    {% if not loop.first %}UNION ALL {% endif %}SELECT leaf, sum(hits) AS hits FROM {{ rel("leaf_buckets", a.name) }} GROUP BY leaf
{% endfor %}
) AS satisfying ON satisfying.leaf = conditions.leaf
LEFT JOIN (
{% for a in bucketed if a.role == "semi-sensitive" %}
    {% if not loop.first %}UNION ALL {% endif %}SELECT group_verdicts.question, leaf_cells.leaf, sum(group_verdicts.most) AS most
    FROM (
        SELECT question, leaf FROM {{ rel("question_hidden") }} UNION SELECT question, leaf FROM {{ rel("question_own") }}
    ) AS asked
    JOIN {{ rel("leaf_cells", a.name) }} AS leaf_cells ON leaf_cells.leaf = asked.leaf AND leaf_cells.sure IS NOT NULL
    JOIN {{ rel("group_verdicts") }} AS group_verdicts
        ON group_verdicts.question = asked.question AND group_verdicts.gid = leaf_cells.gid AND group_verdicts.open
    GROUP BY group_verdicts.question, leaf_cells.leaf
{% else %}
    SELECT CAST(NULL AS INTEGER) AS question, CAST(NULL AS INTEGER) AS leaf, 0 AS most
{% endfor %}
) AS beside ON beside.question = conditions.question AND beside.leaf = conditions.leaf
GROUP BY conditions.question
