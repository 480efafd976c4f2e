{#
relation = "class_distance_ordered"
grain = "one row for the sensitive column"
key = []
inputs = ["class_counts"]
params = []
columns = ["t_ordered"]
why = "Ordered distance: the sum over places of |F_class - F| / (m - 1). F_class is constant between two values of the class, so each step needs the area under F up to where F passes it; cost grows with the values that classes hold, not with classes times the domain."
#}
WITH frequencies AS (
    SELECT value, sum(n) AS n_v
    FROM {{ rel("class_counts") }}
    GROUP BY value
),
places AS (
    SELECT value, row_number() OVER by_value AS place, CAST(sum(n_v) OVER by_value AS HUGEINT) AS reached
    FROM frequencies
    WINDOW by_value AS (ORDER BY value NULLS LAST ROWS UNBOUNDED PRECEDING)
),
areas AS (
    SELECT place, reached, sum(reached) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) AS area FROM places
    UNION ALL
    SELECT 0, 0, 0
),
domain AS (
    SELECT max(place) AS m, max(reached) AS n_all FROM places
),
steps AS (
    SELECT
        class_id,
        place AS first_place,
        lead(place, 1, m) OVER by_place - 1 AS last_place,
        CAST(sum(n) OVER (PARTITION BY class_id ORDER BY place ROWS UNBOUNDED PRECEDING) AS HUGEINT) * n_all AS height,
        CAST(sum(n) OVER (PARTITION BY class_id) AS HUGEINT) AS s,
        m,
        n_all
    FROM {{ rel("class_counts") }} AS counted
    JOIN places ON places.value IS NOT DISTINCT FROM counted.value
    CROSS JOIN domain
    WINDOW by_place AS (PARTITION BY class_id ORDER BY place)
    UNION ALL
    SELECT class_id, 0, min(place) - 1, 0, CAST(sum(n) AS HUGEINT), m, n_all
    FROM {{ rel("class_counts") }} AS counted
    JOIN places ON places.value IS NOT DISTINCT FROM counted.value
    CROSS JOIN domain
    GROUP BY class_id, m, n_all
),
crossings AS (
    -- the last place where F is not above the step, kept within the step
    SELECT steps.*, greatest(least(areas.place, last_place), first_place - 1) AS crossing
    FROM (SELECT *, height // s AS level FROM steps) AS steps
    ASOF JOIN areas ON steps.level >= areas.reached
),
distances AS (
    SELECT
        class_id,
        sum((2 * crossing - first_place - last_place + 1) * height - s * (2 * at_crossing.area - coalesce(before.area, 0) - at_end.area))
            / (any_value(s) * any_value(n_all) * greatest(any_value(m) - 1, 1)) AS distance
    FROM crossings
    JOIN areas AS at_crossing ON at_crossing.place = greatest(crossing, 0)
    JOIN areas AS at_end ON at_end.place = last_place
    LEFT JOIN areas AS before ON before.place = first_place - 1
    WHERE last_place >= first_place
    GROUP BY class_id
)
SELECT coalesce(max(distance), 0) AS t_ordered
FROM distances
