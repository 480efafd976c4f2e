{#
relation = "groups_below_k"
grain = "one row per violating group"
key = ["gid"]
inputs = ["tuple_counts", "groups"]
params = ["k"]
columns = ["gid", "counted", "said"]
paper = "Corollary 1"
why = "Every group has at least k tuples, and as many as it says; no tuple is without a group."
#}
SELECT coalesce(counts.gid, shown.gid) AS gid, counts.tuples AS counted, shown.size AS said
FROM {{ rel("tuple_counts") }} AS counts
FULL JOIN {{ rel("groups") }} AS shown ON shown.gid = counts.gid
WHERE counts.tuples IS NULL OR shown.size IS NULL OR counts.tuples <> shown.size OR counts.tuples < {{ k }}
