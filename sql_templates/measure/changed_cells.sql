{#
relation = "changed_cells"
grain = "one row for the release"
key = []
inputs = ["changed_rows"]
params = ["attributes"]
columns = ["suppressed", "withheld", "{attribute}_lost"]
paper = "NCP: a QI cell that is withheld or suppressed costs 1"
why = "How many tuples were suppressed, how many cells withheld, and how many of both were quasi-identifiers."
#}
SELECT
    count(*) FILTER (WHERE suppressed) AS suppressed,
    coalesce(sum(len(form) - len(replace(form, 'W', ''))), 0) AS withheld
{% for a in attributes %}
    , count(*) FILTER (WHERE substr(pattern, {{ loop.index }}, 1) <> 'S'
        AND (suppressed OR substr(form, {{ loop.index }}, 1) = 'W')) AS {{ col(a.name, "lost") }}
{% endfor %}
FROM {{ rel("changed_rows") }}
