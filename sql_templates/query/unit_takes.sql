{#
relation = "unit_takes"
grain = "one row per question and unit of the target"
key = []
inputs = ["valued_units", "sum_prices"]
params = []
columns = ["question", "entries", "low_sums", "high_sums", "least", "most", "takeable", "bottom_price", "top_price", "lowest", "lowest_priced", "highest", "highest_priced", "expected_low", "expected_high", "estimated", "amount", "largest", "unbounded"]
why = "How many of a unit's values make the sum least and greatest: those below 0 (above 0), or below (above) the price, within what must and may be taken."
#}
{% macro below(price) -%}
CASE WHEN entries IS NULL THEN CASE WHEN least < {{ price }} THEN takeable ELSE 0 END
            WHEN entries[1] >= {{ price }} THEN 0
            WHEN entries[len(entries)] < {{ price }} THEN len(entries)
            ELSE len(list_filter(entries, lambda entry: entry < {{ price }})) END
{%- endmacro %}
{% macro above(price) -%}
CASE WHEN entries IS NULL THEN CASE WHEN most > {{ price }} THEN takeable ELSE 0 END
            WHEN entries[len(entries)] <= {{ price }} THEN 0
            WHEN entries[1] > {{ price }} THEN len(entries)
            ELSE len(list_filter(entries, lambda entry: entry > {{ price }})) END
{%- endmacro %}
SELECT
    units.question, entries, low_sums, high_sums, least, most, takeable, prices.bottom_price, prices.top_price,
    greatest(taken, least(takeable, {{ below(0) }})) AS lowest,
    greatest(taken, least(takeable, {{ below(col("bottom_price")) }})) AS lowest_priced,
    greatest(taken, least(takeable, {{ above(0) }})) AS highest,
    greatest(taken, least(takeable, {{ above(col("top_price")) }})) AS highest_priced,
    least(CAST(floor(expected) AS BIGINT), takeable) AS expected_low,
    least(CAST(ceil(expected) AS BIGINT), takeable) AS expected_high,
    estimated,
    estimated * mean AS amount,
    greatest(abs(CAST(coalesce(entries[1], least) AS DOUBLE)), abs(CAST(coalesce(entries[len(entries)], most) AS DOUBLE))) AS largest,
    entries IS NULL AND least IS NULL AS unbounded
FROM {{ rel("valued_units") }} AS units
JOIN {{ rel("sum_prices") }} AS prices ON prices.question = units.question
WHERE takeable > 0
