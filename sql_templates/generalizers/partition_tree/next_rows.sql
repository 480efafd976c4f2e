{#
relation = "open_rows"
grain = "one row per tuple of a node that splits"
key = ["row_id"]
inputs = ["open_rows", "splits", "left_values"]
params = ["words", "bit_words", "few", "some", "many", "clustered"]
columns = ["row_id", "node_id", "codes_{word}", "bits_{bit_word}"]
paper = "Algorithm 3, lines 13 to 17"
why = "Every tuple moves to its child: right where its code is beyond the cut and its value in no set that goes left. Sorted by node once, when nodes get small, later levels group twice as fast."
#}
{% import "_macros/codes.sql" as codes with context %}
{% set code %}({{ codes.chosen_place(words) }} >> splits.shift){% endset %}
SELECT
    open_rows.row_id,
{% if some %}
    CASE WHEN splits.left_string IS NOT NULL
        THEN splits.left_id + 1 - get_bit(splits.left_string, CAST({{ code }} AS INTEGER))
        ELSE
{% endif %}
    splits.left_id + CAST(
        {{ codes.chosen_place(words) }} > splits.cut_place
{% if few %}
        AND ({{ codes.chosen_bits(bit_words) }} & splits.left_bits) = 0
{% endif %}
{% if many %}
        AND left_values.code IS NULL
{% endif %}
        AS INTEGER)
{% if some %}
    END
{% endif %}
        AS node_id
{% for word in words %}
    , open_rows.{{ col("codes", word) }}
{% endfor %}
{% for word in bit_words %}
    , open_rows.{{ col("bits", word) }}
{% endfor %}
FROM {{ rel("open_rows") }} AS open_rows
JOIN {{ rel("splits") }} AS splits ON splits.node_id = open_rows.node_id
{% if many %}
LEFT JOIN (
    SELECT node_id, code FROM {{ rel("left_values") }}
    WHERE attribute IN ({% for place in many %}{{ place }}{{ comma(loop.last) }}{% endfor %})
) AS left_values ON left_values.node_id = open_rows.node_id AND left_values.code = {{ code }}
{% endif %}
{% if clustered %}
ORDER BY node_id
{% endif %}
