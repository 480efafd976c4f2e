{#
relation = "counted"
grain = "one row per question"
key = ["question"]
inputs = ["counts"]
params = []
columns = ["question", "n_must", "n_may", "expected", "estimated"]
why = "The counts as they leave the engine: a row per question, never a tuple."
#}
SELECT question, n_must, n_may, expected, estimated
FROM {{ rel("counts") }}
