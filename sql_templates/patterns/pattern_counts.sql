{#
relation = "pattern_counts"
grain = "one row per pattern of flags and NULLs"
key = ["pattern"]
inputs = ["quasi_rows"]
params = []
columns = ["pattern", "tuples"]
paper = "Definition 8 (QI partition)"
why = "The merge plan is made from these counts alone."
#}
SELECT pattern, count(*) AS tuples
FROM {{ rel("quasi_rows") }}
GROUP BY pattern
