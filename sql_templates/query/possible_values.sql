{#
relation = "possible_values_{attribute}"
grain = "one row per group and value that its cell may hold"
key = ["gid", "value"]
inputs = ["groups"]
params = ["attribute"]
columns = ["gid", "size", "value", "certain"]
why = "A set as rows. Every member belongs to somebody (certain), unless a hierarchy showed all leaves of a node; of a range in a listed order only the two ends do."
#}
{% set words %}[{% for word in attribute.words or () %}{{ lit(word) }}{{ comma(loop.last) }}{% endfor %}]{% endset %}
{% if attribute.words %}
SELECT groups.gid, groups.size, words.value, CAST(words.value IN ({{ col(attribute.name, "lo") }}, {{ col(attribute.name, "hi") }}) AS INTEGER) AS certain
FROM {{ rel("groups") }} AS groups
JOIN (
    SELECT unnest({{ words }}) AS value, unnest(range(1, {{ attribute.words | length }} + 1)) AS place
) AS words
    ON words.place BETWEEN list_position({{ words }}, {{ col(attribute.name, "lo") }})
    AND list_position({{ words }}, {{ col(attribute.name, "hi") }})
{% else %}
SELECT gid, size, unnest({{ col(attribute.name, "set") }}) AS value, {% if attribute.shows_node %}0{% else %}1{% endif %} AS certain
FROM {{ rel("groups") }}
{% endif %}
