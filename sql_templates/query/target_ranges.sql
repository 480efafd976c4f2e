{#
relation = "target_ranges"
grain = "one row per group whose tuples may have a value of the target that is not bucketed"
key = ["gid"]
inputs = ["groups", "leaf_values_{averaged}", "possible_values_{listed}", "domain_{withheld}"]
params = ["attribute", "own", "averaged", "cells"]
columns = ["gid", "least", "most", "mean", "withheld"]
why = "Where the target is shown as a range or a set, each tuple has some value between its ends, cut to where the target's own condition can hold; a withheld one any declared value or NULL, or nothing bounds it (a flagged value need not be a leaf of the hierarchy): a condition that sets one end alone does not, either. Both ends belong to somebody; between them the mean goes by the pull of values."
#}
{% set low %}{% if own.hull_low is not none %}greatest(ends.least, TRY_CAST({{ own.hull_low }} AS {{ attribute.type }})){% else %}ends.least{% endif %}{% endset %}
{% set high %}{% if own.hull_high is not none %}least(ends.most, TRY_CAST({{ own.hull_high }} AS {{ attribute.type }})){% else %}ends.most{% endif %}{% endset %}
{% set pulls %}(at_most.upto - at_least.upto + at_least.pull){% endset %}
SELECT
    ends.gid,
    CASE WHEN {{ high }} IS NOT NULL THEN {{ low }} END AS least,
    CASE WHEN {{ low }} IS NOT NULL THEN {{ high }} END AS most,
    {% if averaged %}coalesce(
        (ends.seen * (at_least.holds * CAST(at_least.value AS DOUBLE) + at_most.holds * CAST(at_most.value AS DOUBLE))
            + (groups.size - 2 * ends.seen) / {{ pulls }}
            * (at_most.amount_holds - at_least.amount_holds + at_least.pull * at_least.holds * CAST(at_least.value AS DOUBLE)))
        / nullif(ends.seen * (at_least.holds + at_most.holds)
            + (groups.size - 2 * ends.seen) / {{ pulls }} * (at_most.upto_holds - at_least.upto_holds + at_least.pull * at_least.holds), 0),
        (CAST(ends.least AS DOUBLE) + CAST(ends.most AS DOUBLE)) / 2,
        (SELECT max(amount_holds) / nullif(max(upto_holds), 0) FROM {{ rel("leaf_values", attribute.name) }} WHERE leaf = {{ own.number }})
    ){% else %}CAST(NULL AS DOUBLE){% endif %} AS mean,
    ends.withheld
FROM (
    SELECT gid, FALSE AS withheld, {% if attribute.shows_node %}0{% else %}1{% endif %} AS seen,
{% if attribute.ordered and not attribute.words %}
        {{ col(attribute.name, "lo") }} AS least, {{ col(attribute.name, "hi") }} AS most
    FROM {{ rel("groups") }} WHERE {{ col(attribute.name, "form") }} = 'Q' AND {{ col(attribute.name, "lo") }} IS NOT NULL
{% else %}
        min(value) AS least, max(value) AS most
    FROM {{ rel("possible_values", attribute.name) }} WHERE value IS NOT NULL GROUP BY gid
{% endif %}
{% if cells.withheld %}
    UNION ALL
    SELECT gid, TRUE, 0, declared.least, declared.most
    FROM {{ rel("groups") }} CROSS JOIN (SELECT min(value) AS least, max(value) AS most FROM {{ rel("domain", attribute.name) }}
        WHERE declared{% if cells.declared == "nothing" %} AND FALSE{% endif %}) AS declared
    WHERE {{ col(attribute.name, "form") }} = 'W'
{% endif %}
) AS ends
{% if averaged %}
JOIN {{ rel("groups") }} AS groups ON groups.gid = ends.gid
LEFT JOIN {{ rel("leaf_values", attribute.name) }} AS at_least ON at_least.value = ends.least AND at_least.leaf = {{ own.number }}
LEFT JOIN {{ rel("leaf_values", attribute.name) }} AS at_most ON at_most.value = ends.most AND at_most.leaf = {{ own.number }}
{% endif %}
