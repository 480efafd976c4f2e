{#
relation = "group_clues"
grain = "one row per group and clue"
key = ["gid", "place", "clue"]
inputs = ["groups"]
params = ["attributes"]
columns = ["gid", "place", "clue", "share"]
why = "What an adversary can learn from: of each shown attribute the eighth of its range that a group lies in, or each member of its set with its share; a set of more than 16 tells little. Attributes are numbered from 0."
#}
{% for a in attributes %}
SELECT
    gid,
    {{ loop.index0 }} AS place,
{% if a.ordered %}
    ntile(8) OVER (ORDER BY {{ col(a.name, "lo") }}, {{ col(a.name, "hi") }}) AS clue,
    1.0 AS share
FROM {{ rel("groups") }}
WHERE {{ col(a.name, "form") }} = 'Q'
{% else %}
    dense_rank() OVER (ORDER BY member) AS clue,
    share
FROM (
    SELECT gid, unnest({{ col(a.name, "set") }}) AS member, 1 / len({{ col(a.name, "set") }}) AS share
    FROM {{ rel("groups") }}
    WHERE len({{ col(a.name, "set") }}) <= 16
) AS {{ col("members", loop.index0) }}
{% endif %}
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
