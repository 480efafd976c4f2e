{#
relation = "bucket_sums_wrong"
grain = "one row per bucket with a sum in the help table that its entries do not bear out"
key = ["bid"]
inputs = ["helper"]
params = ["exact", "held_digits"]
columns = ["bid"]
why = "Each sum is the one before and the next entry: upwards for the least values, downwards for the greatest. Where sums are not exact their last digits may differ, and what neither a double nor the widest decimal can hold is infinite or NULL."
#}
{% macro is_wrong(sum, before, entry) -%}
CASE WHEN isfinite(CAST({{ sum }} AS DOUBLE)) AND isfinite(CAST({{ before }} AS DOUBLE))
        THEN abs(CAST({{ sum }} AS DOUBLE) - CAST({{ before }} AS DOUBLE) - CAST({{ entry }} AS DOUBLE)) > magnitude / 1000000000
        ELSE magnitude < 1e{{ held_digits }} END
{%- endmacro %}
WITH steps AS (
    SELECT
        bid,
        unnest(entries) AS low_entry,
        unnest(low_sums[:-2]) AS low_before,
        unnest(low_sums[2:]) AS low_sum,
        unnest(list_reverse(entries)) AS high_entry,
        unnest(high_sums[:-2]) AS high_before,
        unnest(high_sums[2:]) AS high_sum
{% if not exact %}
        , coalesce(list_sum(list_transform(entries, lambda entry: abs(CAST(entry AS DOUBLE)))), 0) AS magnitude
{% endif %}
    FROM {{ rel("helper") }}
)
SELECT DISTINCT bid
FROM steps
{% if exact %}
WHERE TRY(low_sum - low_before) IS DISTINCT FROM low_entry OR TRY(high_sum - high_before) IS DISTINCT FROM high_entry
{% else %}
WHERE {{ is_wrong(col("low_sum"), col("low_before"), col("low_entry")) }}
    OR {{ is_wrong(col("high_sum"), col("high_before"), col("high_entry")) }}
{% endif %}
