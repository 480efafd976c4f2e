{#
relation = "group_extents"
grain = "one row per local equivalence group"
key = ["group_id"]
inputs = ["grouped_rows"]
params = ["attributes"]
columns = ["group_id", "size", "{ordered}_low", "{ordered}_high", "{hierarchical}_low", "{hierarchical}_high", "{flat}_members"]
paper = "Algorithm 3, line 25: generalize"
why = "The box of a group: smallest and largest code of every attribute that is ordered or has a hierarchy; the members of another as bits where its domain is small, else the group's own number, to be looked up in group_sets."
#}
{% import "_macros/codes.sql" as codes with context %}
{% import "_macros/dialect.sql" as dialect %}
SELECT
    group_id,
    count(*) AS size
{% for a in attributes %}
{% if a.ordered or a.hierarchy %}
    , min({{ codes.code_of(a) }}) AS {{ col(a.name, "low") }}
    , max({{ codes.code_of(a) }}) AS {{ col(a.name, "high") }}
{% elif a.small_domain %}
    , bit_or({{ dialect.bit_of(codes.code_of(a)) }}) AS {{ col(a.name, "members") }}
{% else %}
    , group_id AS {{ col(a.name, "members") }}
{% endif %}
{% endfor %}
FROM {{ rel("grouped_rows") }}
GROUP BY group_id
