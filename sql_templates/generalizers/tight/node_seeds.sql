{#
relation = "node_seeds"
grain = "one row per node that is large enough to split"
key = ["node_id"]
inputs = ["boxed_rows"]
params = ["boxes", "words", "axes", "level", "k"]
columns = ["node_id", "node_tuples", "seed_{axis}_{word}", "{span}_seed_{axis}"]
paper = "Algorithm 4, find_seeds: a tuple at random"
why = "One tuple of the node for each axis, drawn by its luck, anew at every level."
#}
SELECT
    node_id,
    count(*) AS node_tuples
{% for axis in axes %}
{% for word in words %}
    , arg_min({{ col("codes", word) }}, hash(xor(luck, {{ level * 64 + axis }}))) AS {{ col("seed", axis ~ "_" ~ word) }}
{% endfor %}
{% for a in boxes.spans %}
    , arg_min({{ col(a.name, "at") }}, hash(xor(luck, {{ level * 64 + axis }}))) AS {{ col(a.name, "seed_" ~ axis) }}
{% endfor %}
{% endfor %}
FROM {{ rel("boxed_rows") }}
GROUP BY node_id
HAVING count(*) >= 2 * {{ k }}
