{#
relation = "sum_prices"
grain = "one row per question"
key = ["question"]
inputs = ["valued_units", "counts"]
params = ["price_type", "nulls"]
columns = ["question", "top_price", "bottom_price", "n_least", "n_most"]
why = "At most n_most and at least n_least values count in all, those NULLs left out that a satisfying tuple may have. The price is the value at which, taken in order, that number is reached: bounds that charge it for every value hold for any price (duality), and are tight near the right one. Of a bucket one of the values that may be taken stands for all; which rank it has changes from bucket to bucket, so that together they are spread as the values are."
#}
WITH sampled AS (
    SELECT
        question, taken, takeable,
        TRY_CAST(coalesce(entries[len(entries) - bid % takeable], most) AS {{ price_type }}) AS high_value,
        TRY_CAST(coalesce(entries[1 + bid % takeable], least) AS {{ price_type }}) AS low_value
    FROM {{ rel("valued_units") }}
    WHERE takeable > 0
),
limits AS (
    SELECT counts.question, greatest(coalesce(taken, 0), counts.n_must - {{ nulls }}) AS n_least, counts.n_may AS n_most
    FROM {{ rel("counts") }} AS counts
    LEFT JOIN (SELECT question, sum(taken) AS taken FROM sampled GROUP BY question) AS totals USING (question)
)
SELECT
    question,
    coalesce(CASE WHEN top_most > 0 THEN top_most WHEN top_least < 0 THEN top_least END, 0) AS top_price,
    coalesce(CASE WHEN bottom_least > 0 THEN bottom_least WHEN bottom_most < 0 THEN bottom_most END, 0) AS bottom_price,
    n_least,
    n_most
FROM limits
LEFT JOIN (
    SELECT question, max(value) FILTER (WHERE so_far >= n_most) AS top_most, max(value) FILTER (WHERE so_far >= n_least) AS top_least
    FROM (
        SELECT question, high_value AS value,
            sum(sum(takeable)) OVER (PARTITION BY question ORDER BY high_value DESC NULLS LAST) AS so_far
        FROM sampled
        GROUP BY question, high_value
    ) AS from_top
    JOIN limits USING (question)
    GROUP BY question
) AS tops USING (question)
LEFT JOIN (
    SELECT question, min(value) FILTER (WHERE so_far >= n_least) AS bottom_least, min(value) FILTER (WHERE so_far >= n_most) AS bottom_most
    FROM (
        SELECT question, low_value AS value,
            sum(sum(takeable)) OVER (PARTITION BY question ORDER BY low_value NULLS LAST) AS so_far
        FROM sampled
        GROUP BY question, low_value
    ) AS from_bottom
    JOIN limits USING (question)
    GROUP BY question
) AS bottoms USING (question)
