{#
relation = "placed_rows"
grain = "one row per tuple of a node with at least 2k tuples"
key = ["row_id"]
inputs = ["open_rows", "domain_scales", "secret_keys"]
params = ["attributes", "k"]
columns = ["row_id", "node_id", "place", "{ordered}_at", "{unordered}_code"]
paper = "Algorithm 4, lines 7 to 12: every set that is picked"
why = "A node's tuples in a random order of their own, new at every level: one order for all levels loses 6 % more on census rows. Ordered values as places in the domain's range."
#}
{% import "_macros/codes.sql" as codes with context %}
WITH shuffled_rows AS (
    SELECT
        *,
        row_number() OVER (PARTITION BY node_id ORDER BY secret_key, row_id) AS place,
        count(*) OVER (PARTITION BY node_id) AS tuples
    FROM (SELECT * FROM {{ rel("open_rows") }} POSITIONAL JOIN {{ rel("secret_keys") }}) AS keyed_rows
)
SELECT
    row_id,
    node_id,
    CAST(place AS INTEGER) AS place
{% for a in attributes %}
{% if a.ordered %}
    , coalesce(
        CAST(domain_scales.{{ col(a.name, "positions") }}[{{ codes.code_of(a) }} + 1]
            - domain_scales.{{ col(a.name, "positions") }}[1] AS DOUBLE)
        / nullif(domain_scales.{{ col(a.name, "scale") }}, 0), 0) AS {{ col(a.name, "at") }}
{% elif a.hierarchy or a.medium_domain %}
    , CAST({{ codes.code_of(a) }} AS INTEGER) AS {{ col(a.name, "code") }}
{% else %}
    , CAST({{ codes.code_of(a) }} * {{ a.set_bits }} // {{ a.domain_size }} AS INTEGER) AS {{ col(a.name, "code") }}
{% endif %}
{% endfor %}
FROM shuffled_rows
CROSS JOIN {{ rel("domain_scales") }} AS domain_scales
WHERE tuples >= 2 * {{ k }}
