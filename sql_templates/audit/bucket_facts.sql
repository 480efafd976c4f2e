{#
relation = "bucket_facts"
grain = "one row for the attribute"
key = []
inputs = ["bucket_contents_{attribute}"]
params = ["attribute"]
columns = ["buckets", "smallest", "largest", "most_frequent", "fewest_values", "worst", "average", "worst_knowing_1", "worst_knowing_2", "worst_knowing_3"]
paper = "Lemma 2: a value is exposed with at most |mb(s')|/|mb|"
why = "The worst belief about a tuple of a bucket; and where 1, 2 or 3 other tuples of the bucket, with other values, are known."
#}
SELECT
    count(*) AS buckets,
    min(tuples) AS smallest,
    max(tuples) AS largest,
    max(most_frequent) AS most_frequent,
    min(values) AS fewest_values,
    max(most_frequent / tuples) AS worst,
    sum(most_frequent) / sum(tuples) AS average
{% for known in [1, 2, 3] %}
    , max(most_frequent / greatest(tuples - {{ known }}, most_frequent)) AS {{ col("worst_knowing", known) }}
{% endfor %}
FROM {{ rel("bucket_contents", attribute.name) }}
