{#
relation = "row_order"
grain = "one row for one kind of label in tuples"
key = []
inputs = ["tuples", "label_sizes"]
params = ["label", "size"]
columns = ["tuples", "trend", "repeats", "repeats_by_chance"]
why = "Rids are drawn at random, so labels show no trend along them, and no more neighbours share a label than by chance. Tuples are stored by rid, which is checked before."
#}
SELECT
    count(*) AS tuples,
    corr(rid, label) AS trend,
    count(*) FILTER (WHERE label = label_before) AS repeats,
    (SELECT sum({{ col(size) }} * ({{ col(size) }} - 1.0)) / nullif(sum({{ col(size) }}), 0) FROM {{ rel("label_sizes") }}) AS repeats_by_chance
FROM (
    SELECT rid, label, lag(label) OVER () AS label_before
    FROM (SELECT rid, {{ col(label) }} AS label FROM {{ rel("tuples") }} WHERE {{ col(label) }} IS NOT NULL) AS labelled
) AS scanned
