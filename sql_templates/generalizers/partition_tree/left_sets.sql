{#
relation = "left_sets"
grain = "one row per node that is cut by frequency"
key = ["node_id"]
inputs = ["left_values", "code_layout"]
params = ["few", "some", "most_bits"]
columns = ["node_id", "left_bits", "left_string"]
paper = "Algorithm 3, line 13: S_l"
why = "The values that go left as bits of an integer, or of a bit string where the domain is larger: rows then need no join to know their side. Domains too large for both stay in left_values."
#}
{% macro list(places) %}({% for place in places %}{{ place }}{{ comma(loop.last) }}{% endfor %}){% endmacro %}
SELECT
    left_values.node_id,
{% if few %}
    bit_or(CASE WHEN left_values.attribute IN {{ list(few) }} THEN CAST(1 AS BIGINT) << (left_values.code + code_layout.bit_shift) END)
{% else %}
    CAST(NULL AS BIGINT)
{% endif %}
        AS left_bits,
{% if some %}
    bitstring_agg(left_values.code, 0, {{ most_bits - 1 }}) FILTER (left_values.attribute IN {{ list(some) }})
{% else %}
    CAST(NULL AS BIT)
{% endif %}
        AS left_string
FROM {{ rel("left_values") }} AS left_values
JOIN {{ rel("code_layout") }} AS code_layout ON code_layout.attribute = left_values.attribute
GROUP BY left_values.node_id
