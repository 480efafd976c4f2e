{#
relation = "mean_bounds"
grain = "one row per question"
key = ["question"]
inputs = ["mean_steps", "counts"]
params = []
columns = ["question", "lower", "upper"]
why = "Start from the values that are taken in any case and add the others from the smallest (greatest) on, n_may values at most: the least (greatest) mean is reached at the end of one of these steps. NULL where nothing bounds a withheld value."
#}
SELECT
    question,
    CASE WHEN bool_or(value IS NULL) THEN NULL ELSE least(
        min(low_base / nullif(low_base_count, 0)),
        min(CASE WHEN low_count <= n_may - low_base_count
            THEN (low_base + low_sum - value * (low_so_far - low_count)) / nullif(low_base_count + low_count, 0) END)
    ) END AS lower,
    CASE WHEN bool_or(value IS NULL) THEN NULL ELSE greatest(
        max(high_base / nullif(high_base_count, 0)),
        max(CASE WHEN high_count <= n_may - high_base_count
            THEN (high_base + high_sum - value * (high_so_far - high_count)) / nullif(high_base_count + high_count, 0) END)
    ) END AS upper
FROM (
    SELECT
        *,
        greatest(low_so_far - low_more, least(low_so_far, n_may - low_base_count)) AS low_count,
        greatest(high_so_far - high_more, least(high_so_far, n_may - high_base_count)) AS high_count
    FROM (
        SELECT
            steps.question, value, low_more, high_more, counts.n_may,
            sum(value * low_taken) OVER everything AS low_base,
            sum(low_taken) OVER everything AS low_base_count,
            sum(value * high_taken) OVER everything AS high_base,
            sum(high_taken) OVER everything AS high_base_count,
            sum(value * low_more) OVER rising AS low_sum,
            sum(low_more) OVER rising AS low_so_far,
            sum(value * high_more) OVER falling AS high_sum,
            sum(high_more) OVER falling AS high_so_far
        FROM {{ rel("mean_steps") }} AS steps
        JOIN {{ rel("counts") }} AS counts ON counts.question = steps.question
        WINDOW
            everything AS (PARTITION BY steps.question),
            rising AS (PARTITION BY steps.question ORDER BY value, low_more ROWS UNBOUNDED PRECEDING),
            falling AS (PARTITION BY steps.question ORDER BY value DESC, high_more ROWS UNBOUNDED PRECEDING)
    ) AS running
) AS reached
GROUP BY question
