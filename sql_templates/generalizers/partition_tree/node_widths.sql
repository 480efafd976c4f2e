{#
relation = "node_widths"
grain = "one row per open node that is large enough to split"
key = ["node_id"]
inputs = ["open_rows", "domain_scales"]
params = ["attributes", "bit_words", "k", "widths_as_charged"]
columns = ["node_id", "tuples", "{attribute}_width"]
paper = "Algorithm 3, line 11: choose_dimension, the normalised widths"
why = "Ordered: range of positions / range of the domain; unordered: (distinct values - 1) / (|A| - 1), or what NCP charges for them, distinct values / |A|, with a hierarchy leaves under the lowest common ancestor / all leaves."
#}
{% import "_macros/codes.sql" as codes with context %}
{% macro values(a) -%}
{% if a.has_bits %}bit_count(extents.{{ col("bits", a.bit_word) }} & {{ a.all_bits }}){% else %}extents.{{ col(a.name, "values") }}{% endif %}
{%- endmacro %}
WITH extents AS (
    SELECT
        node_id,
        count(*) AS tuples
{% for a in attributes %}
{% if a.ordered or (a.hierarchy and widths_as_charged) %}
        , min({{ codes.code_of(a) }}) AS {{ col(a.name, "low") }}
        , max({{ codes.code_of(a) }}) AS {{ col(a.name, "high") }}
{% elif a.has_bits %}
{% elif a.medium_domain %}
        , bit_count(bitstring_agg({{ codes.code_of(a) }}, 0, {{ a.mask }})) AS {{ col(a.name, "values") }}
{% else %}
        , count(DISTINCT {{ codes.code_of(a) }}) AS {{ col(a.name, "values") }}
{% endif %}
{% endfor %}
{% for word in bit_words %}
        , bit_or({{ col("bits", word) }}) AS {{ col("bits", word) }}
{% endfor %}
    FROM {{ rel("open_rows") }}
    GROUP BY node_id
    HAVING count(*) >= 2 * {{ k }}
)
SELECT
    extents.node_id,
    extents.tuples
{% for a in attributes %}
{% if a.ordered %}
    , coalesce(
        CAST(domain_scales.{{ col(a.name, "positions") }}[extents.{{ col(a.name, "high") }} + 1]
            - domain_scales.{{ col(a.name, "positions") }}[extents.{{ col(a.name, "low") }} + 1] AS DOUBLE)
        / nullif(domain_scales.{{ col(a.name, "scale") }}, 0), 0) AS {{ col(a.name, "width") }}
{% elif a.hierarchy and widths_as_charged %}
    , {{ codes.hierarchy_cost(a, "extents." ~ col(a.name, "low"), "extents." ~ col(a.name, "high")) }} AS {{ col(a.name, "width") }}
{% elif widths_as_charged %}
    , CASE WHEN {{ values(a) }} > 1
        THEN {{ values(a) }} / (domain_scales.{{ col(a.name, "scale") }} + 1) ELSE 0 END AS {{ col(a.name, "width") }}
{% else %}
    , coalesce(({{ values(a) }} - 1) / nullif(domain_scales.{{ col(a.name, "scale") }}, 0), 0)
        AS {{ col(a.name, "width") }}
{% endif %}
{% endfor %}
FROM extents
CROSS JOIN {{ rel("domain_scales") }} AS domain_scales
