{#
relation = "question_units"
grain = "one row per question and unit: a bucket of the target, a group that shows a range of it, or a value of it"
key = ["question", "bid", "gid", "value"]
inputs = ["tuple_verdicts", "question_own", "leaf_buckets_{own}"]
params = ["own", "units"]
columns = ["question", "bid", "gid", "value", "may", "must", "expected", "estimated", "fits", "size"]
paper = "Section 4.3: the sum of Pro(t) in each local bucket of salary"
why = "How many tuples of a unit may and must satisfy a question, and how many are expected to (uniform shares, as the paper) and estimated to (weighted shares). Of a bucket of the target, `fits` of `size` values satisfy the target's own condition."
#}
SELECT units.question, units.bid, gid, value, may, must, expected, estimated,
    {% if own %}leaf_buckets.hits{% else %}CAST(NULL AS BIGINT){% endif %} AS fits,
    {% if own %}leaf_buckets.size{% else %}CAST(NULL AS BIGINT){% endif %} AS size
FROM (
    SELECT
        question{% for unit in ("bid", "gid", "value") %}, {% if unit in units %}{{ col(unit) }}{% else %}NULL AS {{ col(unit) }}{% endif %}{% endfor %},
        count(*) AS may,
        sum(CAST(must AS INTEGER)) AS must,
        sum(uniform) AS expected,
        sum(share) AS estimated
    FROM {{ rel("tuple_verdicts") }}
    GROUP BY question{% for unit in units %}, {{ col(unit) }}{% endfor %}

) AS units
{% if own %}
LEFT JOIN {{ rel("question_own") }} AS question_own ON question_own.question = units.question
LEFT JOIN {{ rel("leaf_buckets", own.name) }} AS leaf_buckets ON leaf_buckets.leaf = question_own.leaf AND leaf_buckets.bid = units.bid
{% endif %}
