{#
relation = "class_diversity"
grain = "one row for the sensitive column"
key = []
inputs = ["class_counts"]
params = ["l"]
columns = ["distinct_l", "entropy_l", "recursive_c", "alpha", "classes_below", "rows_below"]
why = "Distinct l: fewest values of a class. Entropy l: exp of the least entropy. Recursive: r_1 < c (r_l + ... + r_m) with that l holds for every c above recursive_c. alpha: largest share of a value."
#}
WITH ranked AS (
    SELECT class_id, n, row_number() OVER (PARTITION BY class_id ORDER BY n DESC) AS place
    FROM {{ rel("class_counts") }}
),
classes AS (
    SELECT class_id, count(*) AS values, sum(n) AS size, max(n) AS top, ln(sum(n)) - sum(n * ln(n)) / sum(n) AS entropy
    FROM ranked
    GROUP BY class_id
),
fewest AS (
    SELECT min(values) AS distinct_l FROM classes
),
tails AS (
    SELECT class_id, sum(n) AS tail
    FROM ranked
    JOIN fewest ON ranked.place >= fewest.distinct_l
    GROUP BY class_id
)
SELECT
    min(values) AS distinct_l,
    exp(min(entropy)) AS entropy_l,
    CASE WHEN min(values) > 1 THEN max(top / tail) END AS recursive_c,
    max(top / size) AS alpha,
    count(*) FILTER (WHERE values < {{ l }}) AS classes_below,
    coalesce(sum(size) FILTER (WHERE values < {{ l }}), 0) AS rows_below
FROM classes
JOIN tails USING (class_id)
