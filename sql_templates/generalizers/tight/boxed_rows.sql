{#
relation = "boxed_rows"
grain = "one row per released tuple"
key = ["row_id"]
inputs = ["open_rows", "domain_scales", "secret_keys"]
params = ["boxes", "words"]
columns = ["row_id", "node_id", "luck", "codes_{word}", "{span}_at", "mask_{mask}"]
why = "Every tuple as a box of its own, made once: where it stands in each span, in shares of the domain's range, and its values' bits. `luck` decides between equal tuples and draws seeds; nothing else uses it."
#}
{% import "_macros/boxes.sql" as box with context %}
{% import "_macros/codes.sql" as codes with context %}
SELECT
    open_rows.row_id,
    open_rows.node_id,
    open_rows.secret_key AS luck
{% for word in words %}
    , open_rows.{{ col("codes", word) }}
{% endfor %}
{% for a in boxes.spans %}
{% if a.hierarchy %}
    , {{ codes.code_of(a) }} AS {{ col(a.name, "at") }}
{% else %}
    , coalesce(
        CAST(domain_scales.{{ col(a.name, "positions") }}[{{ codes.code_of(a) }} + 1] - domain_scales.{{ col(a.name, "positions") }}[1] AS DOUBLE)
        / nullif(domain_scales.{{ col(a.name, "scale") }}, 0), 0) AS {{ col(a.name, "at") }}
{% endif %}
{% endfor %}
{% for mask in boxes.masks %}
    , {{ box.bits_of_row(boxes, mask) }} AS {{ col("mask", mask) }}
{% endfor %}
FROM (SELECT * FROM {{ rel("open_rows") }} POSITIONAL JOIN {{ rel("secret_keys") }}) AS open_rows
CROSS JOIN {{ rel("domain_scales") }} AS domain_scales
