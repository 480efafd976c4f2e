{#
relation = "node_axes"
grain = "one row per node that is large enough to split"
key = ["node_id"]
inputs = ["boxed_rows", "node_seeds", "domain_scales"]
params = ["boxes", "words", "axes"]
columns = ["node_id", "far_{axis}_{word}", "{span}_far_{axis}"]
paper = "Algorithm 4, find_seeds: the tuple farthest from it"
why = "The other end of every axis. Of equally far tuples the one whose codes hash highest: equal codes are the same seed, so the choice never depends on the order of rows."
#}
{% import "_macros/boxes.sql" as box with context %}
WITH distances AS (
    SELECT
        boxed_rows.*
{% for axis in axes %}
        , (CAST(least({{ box.distance(boxes, "seed", axis) }}, 255) * 16384 AS BIGINT) << 40)
            | CAST(hash({% for word in words %}{{ col("codes", word) }}{{ comma(loop.last) }} {% endfor %}) >> 24 AS BIGINT) AS {{ col("far", axis) }}
{% endfor %}
    FROM {{ rel("boxed_rows") }} AS boxed_rows
    JOIN {{ rel("node_seeds") }} AS node_seeds ON node_seeds.node_id = boxed_rows.node_id
    {{ box.with_scales(boxes) }}
)
SELECT
    node_id
{% for axis in axes %}
{% for word in words %}
    , arg_max({{ col("codes", word) }}, {{ col("far", axis) }}) AS {{ col("far", axis ~ "_" ~ word) }}
{% endfor %}
{% for a in boxes.spans %}
    , arg_max({{ col(a.name, "at") }}, {{ col("far", axis) }}) AS {{ col(a.name, "far_" ~ axis) }}
{% endfor %}
{% endfor %}
FROM distances
GROUP BY node_id
