{#
relation = "group_clues"
grain = "one row per group and attribute that it shows"
key = ["gid", "place"]
inputs = ["groups"]
params = ["attributes"]
columns = ["gid", "place", "clue"]
why = "What an adversary can learn from: of each shown attribute the eighth of its range that a group lies in, or its set. Attributes are numbered from 0."
#}
{% for a in attributes %}
SELECT
    gid,
    {{ loop.index0 }} AS place,
{% if a.ordered %}
    ntile(8) OVER (ORDER BY {{ col(a.name, "lo") }}, {{ col(a.name, "hi") }}) AS clue
{% else %}
    dense_rank() OVER (ORDER BY {{ col(a.name, "set") }}) AS clue
{% endif %}
FROM {{ rel("groups") }}
WHERE {{ col(a.name, "form") }} = 'Q'
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
