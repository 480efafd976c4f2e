{#
relation = "class_risks"
grain = "one row for the table"
key = []
inputs = ["class_sizes"]
params = ["k"]
columns = ["classes", "total", "smallest", "classes_below", "rows_below", "rows_unique"]
why = "k-anonymity, and prosecutor, journalist and marketer risk: at most 1/smallest, on average classes/total."
#}
SELECT
    count(*) AS classes,
    coalesce(sum(size), 0) AS total,
    min(size) AS smallest,
    count(*) FILTER (WHERE size < {{ k }}) AS classes_below,
    coalesce(sum(size) FILTER (WHERE size < {{ k }}), 0) AS rows_below,
    count(*) FILTER (WHERE size = 1) AS rows_unique
FROM {{ rel("class_sizes") }}
