{#
relation = "question_buckets_{attribute}"
grain = "one row per question and bucket of an attribute that it has a condition on"
key = ["question", "bid"]
inputs = ["question_hidden", "leaf_buckets_{attribute}"]
params = ["attribute"]
columns = ["question", "bid", "size", "hits"]
why = "What a bucket says to a question: how many of its values satisfy the question's condition on this attribute."
#}
SELECT question_hidden.question, leaf_buckets.bid, leaf_buckets.size, leaf_buckets.hits
FROM {{ rel("question_hidden") }} AS question_hidden
JOIN {{ rel("leaf_buckets", attribute.name) }} AS leaf_buckets ON leaf_buckets.leaf = question_hidden.leaf
