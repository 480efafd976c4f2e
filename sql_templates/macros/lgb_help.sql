{#
relation = "lgb_help"
grain = "one row per macro for analysts"
key = ["macro"]
inputs = []
params = ["entries", "arguments"]
columns = ["macro", "answers", "arguments", "example"]
why = "So that whoever opens the file sees what it can be asked."
#}
SELECT
    h.macro,
    h.answers,
    {{ lit(arguments) }} AS arguments,
    h.example
FROM (
    VALUES
{% for entry in entries %}
        ({{ lit(entry.macro) }}, {{ lit(entry.answers) }}, {{ lit(entry.example) }}){{ comma(loop.last) }}
{% endfor %}
) AS h(macro, answers, example)
