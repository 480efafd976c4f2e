{#
relation = "ranges_reversed"
grain = "one row per group with a range or a set that is not in order"
key = ["gid"]
inputs = ["groups"]
params = ["attributes"]
columns = ["gid", "attribute"]
why = "A range ascends, in the order of its list where the policy gives one; a set ascends and holds nothing twice, so its order tells nothing. Attributes are numbered from 0."
#}
{% from "_macros/places.sql" import place %}
SELECT * FROM (
    SELECT
        gid,
        CASE
{% for a in attributes %}
{% if a.ordered %}
            WHEN {{ col(a.name, "lo") }} IS NOT NULL
                AND coalesce({{ place(a, col(a.name, "lo")) }} > {{ place(a, col(a.name, "hi")) }}, TRUE) THEN {{ loop.index0 }}
{% else %}
            WHEN len({{ col(a.name, "set") }}) > 1
                AND {{ col(a.name, "set") }} <> list_sort(list_distinct({{ col(a.name, "set") }})) THEN {{ loop.index0 }}
{% endif %}
{% endfor %}
        END AS attribute
    FROM {{ rel("groups") }}
) AS judged
WHERE attribute IS NOT NULL
