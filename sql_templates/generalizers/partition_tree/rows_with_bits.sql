{#
relation = "rows_with_bits"
grain = "one row per released tuple"
key = ["row_id"]
inputs = ["open_rows"]
params = ["attributes", "words", "bit_words"]
columns = ["row_id", "node_id", "codes_{word}", "bits_{bit_word}"]
paper = "Algorithm 3, line 11: choose_dimension needs the distinct values of every attribute"
why = "A bit for every value of all small unordered attributes, made once and carried down: at every level one bit_or then says what a node holds of all of them."
#}
{% import "_macros/codes.sql" as codes with context %}
SELECT
    row_id,
    node_id
{% for word in words %}
    , {{ col("codes", word) }}
{% endfor %}
{% for word in bit_words %}
    , {{ codes.bits_of(attributes, word) }} AS {{ col("bits", word) }}
{% endfor %}
FROM {{ rel("open_rows") }}
