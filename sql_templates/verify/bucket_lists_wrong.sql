{#
relation = "bucket_lists_wrong"
grain = "one row per bucket whose row in the help table has another size, or lists of other lengths, than the SAT"
key = ["bid"]
inputs = ["helper", "sat"]
params = []
columns = ["bid"]
why = "A bucket has one row; its size counts every value, its lists those that are not NULL, and both lists of sums begin with the sum of nothing."
#}
SELECT bid
FROM {{ rel("helper") }} AS helper
FULL JOIN (
    SELECT bid, sum(n) AS tuples, coalesce(sum(n) FILTER (WHERE value IS NOT NULL), 0) AS present
    FROM {{ rel("sat") }}
    GROUP BY bid
) AS buckets USING (bid)
WHERE helper.size IS DISTINCT FROM buckets.tuples
    OR len(helper.entries) IS DISTINCT FROM buckets.present
    OR len(helper.low_sums) IS DISTINCT FROM buckets.present + 1
    OR len(helper.high_sums) IS DISTINCT FROM buckets.present + 1
    OR helper.low_sums[1] IS DISTINCT FROM 0
    OR helper.high_sums[1] IS DISTINCT FROM 0
