{#
relation = "tuple_verdicts"
grain = "one row per question and tuple that may satisfy it"
key = []
inputs = ["tuples", "group_verdicts", "question_buckets_{bucketed}", "leaf_cells_{mixed_shown}", "leaf_buckets_{mixed_hidden}"]
params = ["target", "bucketed", "mixed"]
columns = ["question", "bid", "gid", "value", "must", "share", "uniform"]
paper = "Section 4.3: Pro(t)"
why = "Group and buckets together decide whether a tuple may or must satisfy a question; Boolean logic, never from the product. Its unit is the bucket that holds its target's value, else its group, else the value itself."
#}
{% import "_macros/verdicts.sql" as verdicts with context %}
SELECT
    group_verdicts.question,
    {% if target and target.role in ("semi-sensitive", "sensitive") %}tuples.{{ col(target.name, "bid") }}{% else %}CAST(NULL AS BIGINT){% endif %} AS bid,
    {% if target and target.role == "quasi-identifier" %}tuples.gid
    {%- elif target and target.role == "semi-sensitive" %}CASE WHEN tuples.{{ col(target.name, "bid") }} IS NULL THEN tuples.gid END
    {%- else %}CAST(NULL AS BIGINT){% endif %} AS gid,
    {% if target and target.role == "insensitive" %}tuples.{{ col(target.name) }}{% else %}NULL{% endif %} AS value,
    group_verdicts.least = group_verdicts.size
{% for a in bucketed %}
        AND coalesce({{ verdicts.hidden(a) }}.part = 1, TRUE)
{% endfor %}
        {% if mixed %}AND {{ verdicts.must(mixed.node) }}{% endif %} AS must,
{% for word in ("share", "uniform") %}
    group_verdicts.{{ col(word) }}{% for a in bucketed %} * coalesce({{ verdicts.hidden(a) }}.part, 1){% endfor %}
        {% if mixed %}* {{ verdicts.mixed_share(mixed, word) }}{% endif %} AS {{ col(word) }}{{ comma(loop.last) }}
{% endfor %}
FROM {{ rel("tuples") }} AS tuples
JOIN {{ rel("group_verdicts") }} AS group_verdicts ON group_verdicts.gid = tuples.gid
{% for a in bucketed %}
LEFT JOIN {{ rel("question_buckets", a.name) }} AS {{ verdicts.hidden(a) }}
    ON {{ verdicts.hidden(a) }}.question = group_verdicts.question AND {{ verdicts.hidden(a) }}.bid = tuples.{{ col(a.name, "bid") }}
{% endfor %}
{% for leaf in (mixed.leaves if mixed else ()) if leaf.is_shown %}
LEFT JOIN {{ rel("leaf_cells", leaf.attribute.name) }} AS {{ verdicts.cell(leaf) }}
    ON {{ verdicts.cell(leaf) }}.gid = tuples.gid AND {{ verdicts.cell(leaf) }}.leaf = {{ leaf.number }}
{% endfor %}
{% for leaf in (mixed.leaves if mixed else ()) if leaf.is_bucketed %}
LEFT JOIN {{ rel("leaf_buckets", leaf.attribute.name) }} AS {{ verdicts.bucket(leaf) }}
    ON {{ verdicts.bucket(leaf) }}.bid = tuples.{{ col(leaf.attribute.name, "bid") }} AND {{ verdicts.bucket(leaf) }}.leaf = {{ leaf.number }}
{% endfor %}
WHERE TRUE
{% for a in bucketed %}
    AND coalesce({{ verdicts.hidden(a) }}.part > 0, TRUE)
{% endfor %}
{% if mixed %}
    AND {{ verdicts.may(mixed.node) }}
{% endif %}
