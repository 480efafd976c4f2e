{#
relation = "question_buckets_{attribute}"
grain = "one row per question and bucket of an attribute that it has a condition on"
key = ["question", "bid"]
inputs = ["question_hidden", "leaf_buckets_{attribute}"]
params = ["attribute"]
columns = ["question", "bid", "part"]
why = "What a bucket says to a question: which part of its values satisfies the question's condition on this attribute."
#}
SELECT question_hidden.question, leaf_buckets.bid, leaf_buckets.hits / leaf_buckets.size AS part
FROM {{ rel("question_hidden") }} AS question_hidden
JOIN {{ rel("leaf_buckets", attribute.name) }} AS leaf_buckets ON leaf_buckets.leaf = question_hidden.leaf
