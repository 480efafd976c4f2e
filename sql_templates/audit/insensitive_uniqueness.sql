{#
relation = "insensitive_uniqueness"
grain = "one row for the release"
key = []
inputs = ["tuples"]
params = ["insensitive"]
columns = ["alone"]
why = "Tuples whose insensitive columns, released as they are, no other tuple shares: whoever knows them finds the row."
#}
SELECT count(*) AS alone
FROM (
    SELECT 1 AS one
    FROM {{ rel("tuples") }}
    GROUP BY {% for a in insensitive %}{{ col(a.name) }}{{ comma(loop.last) }}{% endfor %}

    HAVING count(*) = 1
) AS single
