{#
relation = "group_verdicts"
grain = "one row per question and group of which some tuple may satisfy its conditions on shown cells"
key = ["question", "gid"]
inputs = ["groups", "question_leaves", "leaf_cells_{attribute}"]
params = ["attributes", "unconditional", "open_questions"]
columns = ["question", "gid", "size", "most", "least", "open", "share", "uniform"]
paper = "Section 4.3: Pro(t), the product over attributes"
why = "What the tuples of a group have in common: at most and at least how many satisfy a question (all: they must), the share that does, and whether a bucket has yet to decide (open)."
#}
{% macro is_open() %}{% if open_questions %}question IN ({% for q in open_questions %}{{ q }}{{ comma(loop.last) }}{% endfor %}){% else %}FALSE{% endif %}{% endmacro %}
{% if attributes %}
SELECT
    question, cells.gid, groups.size,
    groups.size - coalesce(max(never), 0) AS most,
    CAST(greatest(0, groups.size - coalesce(sum(groups.size - sure), 0)) AS BIGINT) AS least,
    {{ is_open() }} OR bool_or(sure IS NULL) AS open,
    coalesce(product(share), 1) AS share,
    coalesce(product(uniform), 1) AS uniform
FROM (
{% for a in attributes %}
{% if not loop.first %}
    UNION ALL
{% endif %}
    SELECT question, conditions, gid, sure, never, share, uniform
    FROM {{ rel("question_leaves") }} AS question_leaves
    JOIN {{ rel("leaf_cells", a.name) }} AS leaf_cells ON leaf_cells.leaf = question_leaves.leaf
{% endfor %}
) AS cells
JOIN {{ rel("groups") }} AS groups ON groups.gid = cells.gid
GROUP BY question, cells.gid, groups.size
HAVING count(*) = max(conditions) AND most > 0
{% endif %}
{% if unconditional %}
{% if attributes %}
UNION ALL
{% endif %}
SELECT question, gid, size, size AS most, size AS least, {{ is_open() }} AS open, 1 AS share, 1 AS uniform
FROM {{ rel("groups") }}, (SELECT unnest([{% for q in unconditional %}{{ q }}{{ comma(loop.last) }}{% endfor %}]) AS question) AS questions
{% endif %}
