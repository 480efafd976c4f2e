{#
relation = "sum_bounds"
grain = "one row per question"
key = ["question"]
inputs = ["unit_takes", "sum_prices"]
params = ["sum_type", "price_type", "count_type"]
columns = ["question", "lower", "estimate", "upper", "lower_expected", "upper_expected", "estimated_count", "magnitude", "greatest"]
paper = "Section 4.3: Sum_lower, Sum_upper"
why = "The sum of the least values of every unit, plain, and with the price of every value taken off and that of as many as must count put back; the better of both. NULL where nothing bounds a withheld value. The magnitude of what was added says how far rounding may have moved a sum of doubles."
#}
{% macro low(count) -%}
coalesce(low_sums[{{ count }} + 1], TRY_CAST(least AS {{ price_type }}) * CAST({{ count }} AS {{ count_type }}))
{%- endmacro %}
{% macro high(count) -%}
coalesce(high_sums[{{ count }} + 1], TRY_CAST(most AS {{ price_type }}) * CAST({{ count }} AS {{ count_type }}))
{%- endmacro %}
SELECT
    prices.question,
    CASE WHEN unbounded THEN NULL ELSE greatest(low_plain, low_priced
        + bottom_price * CAST(CASE WHEN bottom_price > 0 THEN n_least ELSE n_most END AS {{ count_type }})) END AS lower,
    estimate,
    CASE WHEN unbounded THEN NULL ELSE least(high_plain, high_priced
        + top_price * CAST(CASE WHEN top_price > 0 THEN n_most ELSE n_least END AS {{ count_type }})) END AS upper,
    CASE WHEN unbounded THEN NULL ELSE low_expected END AS lower_expected,
    CASE WHEN unbounded THEN NULL ELSE high_expected END AS upper_expected,
    estimated_count,
    magnitude,
    greatest
FROM (
    SELECT
        question,
        CAST(sum({{ low(col("lowest")) }}) AS {{ sum_type }}) AS low_plain,
        CAST(sum({{ low(col("lowest_priced")) }} - bottom_price * CAST(lowest_priced AS {{ count_type }})) AS {{ sum_type }}) AS low_priced,
        CAST(sum({{ high(col("highest")) }}) AS {{ sum_type }}) AS high_plain,
        CAST(sum({{ high(col("highest_priced")) }} - top_price * CAST(highest_priced AS {{ count_type }})) AS {{ sum_type }}) AS high_priced,
        CAST(sum({{ low(col("expected_low")) }}) AS {{ sum_type }}) AS low_expected,
        CAST(sum({{ high(col("expected_high")) }}) AS {{ sum_type }}) AS high_expected,
        sum(amount) AS estimate,
        sum(estimated) AS estimated_count,
        sum(takeable * largest) AS magnitude,
        max(largest) AS greatest,
        bool_or(unbounded) AS unbounded
    FROM {{ rel("unit_takes") }}
    GROUP BY question
) AS totals
JOIN {{ rel("sum_prices") }} AS prices ON prices.question = totals.question
