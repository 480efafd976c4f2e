{#
relation = "quasi_cells"
grain = "one row for the source"
key = []
inputs = ["pattern_counts"]
params = []
columns = ["cells"]
paper = "NCP: each quasi-identifier cell costs at most 1"
why = "How many cells are quasi-identifiers, NULLs among them: what NCP would be if all were withheld."
#}
SELECT CAST(coalesce(sum(tuples * len(replace(pattern, 'S', ''))), 0) AS BIGINT) AS cells
FROM {{ rel("pattern_counts") }}
