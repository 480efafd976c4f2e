{#
relation = "buckets_not_l_diverse"
grain = "one row per violating bucket"
key = ["bid"]
inputs = ["sat"]
params = ["l"]
columns = ["bid", "size", "most"]
paper = "Corollary 2: at least l tuples, each value at most once"
why = "Checked on the released SAT alone."
#}
SELECT bid, sum(n) AS size, max(n) AS most
FROM {{ rel("sat") }}
GROUP BY bid
HAVING sum(n) < {{ l }} OR max(n) > 1
