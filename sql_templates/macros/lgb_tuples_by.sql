{#
relation = "lgb_tuples_by_{attribute}"
grain = "one row per tuple that may satisfy all predicates and key that it may have"
key = ["rid", "tuple"]
inputs = ["tuples", "lgb_tuples", "lgb_keys_{shown}", "lgb_bucket_keys_{flagged}"]
params = ["attribute", "arguments", "bucketed"]
columns = ["rid", "tuple"]
why = "A tuple stands under every key that it may have, and must have one only if no other is possible."
#}
{# The tuple under a key. #}
{% macro under(key, other, must, share, uniform) %}
    {
        'key': {{ key }},
        'other': {{ other }},
        'gid': t.tuple.gid,
{% for a in bucketed %}
        {{ lit(a.name ~ "_bid") }}: t.tuple.{{ col(a.name, "bid") }},
{% endfor %}
        'must': t.tuple.must AND {{ must }},
        'share': t.tuple.share * {{ share }},
        'uniform': t.tuple.uniform * {{ uniform }}
    } AS tuple
{% endmacro %}
{% set k = col("k") ~ dot %}
{% if attribute.role == "insensitive" %}
SELECT
    t.rid,
    {{- under(k ~ col(attribute.name), lit(false), lit(true), 1, 1) }}
FROM {{ rel("lgb_tuples") }}({{ arguments }}) AS t
JOIN {{ rel("tuples") }} AS k ON k.rid = t.rid
{% else %}
WITH candidates AS (
    SELECT t.rid, t.tuple
    FROM {{ rel("lgb_tuples") }}({{ arguments }}) AS t
)
{% if attribute.role != "sensitive" %}
SELECT
    t.rid,
    {{- under(k ~ col("key"), k ~ col("other"), k ~ col("must"), k ~ col("share"), k ~ col("uniform")) }}
FROM candidates AS t
JOIN {{ rel("lgb_keys", attribute.name) }}({{ col(attribute.name) }}) AS k ON k.gid = t.tuple.gid
{% endif %}
{% if attribute.role == "semi-sensitive" %}
UNION ALL
{% endif %}
{% if attribute.role != "quasi-identifier" %}
SELECT
    t.rid,
    {{- under(k ~ col("key"), lit(false), k ~ col("must"), k ~ col("share"), k ~ col("share")) }}
FROM candidates AS t
JOIN {{ rel("lgb_bucket_keys", attribute.name) }}({{ col(attribute.name) }}) AS k
    ON k.bid = t.tuple.{{ col(attribute.name, "bid") }}
{% endif %}
{% endif %}
