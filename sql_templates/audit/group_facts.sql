{#
relation = "group_facts"
grain = "one row for the release"
key = []
inputs = ["groups"]
params = ["attributes"]
columns = ["groups", "tuples", "smallest", "largest", "middle", "c_dm", "withheld"]
paper = "Lemma 1: identity disclosure is at most 1/|LEG|"
why = "What the group sizes say of identity risk, and the counts that the manifest repeats."
#}
SELECT
    count(*) AS groups,
    coalesce(sum(size), 0) AS tuples,
    min(size) AS smallest,
    max(size) AS largest,
    quantile_disc(size, 0.5) AS middle,
    coalesce(sum(CAST(size AS HUGEINT) * size), 0) AS c_dm,
    coalesce(sum(size * (0
{% for a in attributes %}
        + CAST({{ col(a.name, "form") }} = 'W' AS BIGINT)
{% endfor %}
    )), 0) AS withheld
FROM {{ rel("groups") }}
