{#
relation = "shown_cells_{attribute}"
grain = "one row per condition and group that shows values of its attribute, one of which may satisfy it"
key = ["leaf", "gid"]
inputs = ["groups", "possible_values_{listed}", "leaf_values_{attribute}"]
params = ["attribute", "leaves"]
columns = ["leaf", "gid", "sure", "never", "share", "uniform"]
paper = "Section 4.3: Pro_t(A) of a generalised set or range"
why = "How many tuples of a group surely satisfy a condition, how many surely do not (those whom members of a set or ends of a range prove), and the share that seems to: the proven ones, and the rest by the pull of values. Between the ends of a range any value of the type may stand, also one that no released table shows."
#}
{% from "_macros/ranges.sql" import touches, part_of with context %}
{% set lo = col("groups") ~ dot ~ col(attribute.name, "lo") %}
{% set hi = col("groups") ~ dot ~ col(attribute.name, "hi") %}
{% set surely %}{% if attribute.family == "boolean" %}at_lo.holds + at_hi.holds = 2{% else %}must{% endif %}{% endset %}
{% set possibly %}{% if attribute.family == "boolean" %}at_lo.holds + at_hi.holds > 0{% else %}may{% endif %}{% endset %}
{% if attribute.ordered and not attribute.words %}
SELECT
    at_lo.leaf,
    groups.gid,
    CASE WHEN {{ lo }} = {{ hi }} THEN groups.size * at_lo.holds WHEN {{ surely }} THEN groups.size ELSE at_lo.holds + at_hi.holds END AS sure,
    CASE WHEN {{ lo }} = {{ hi }} THEN 0 ELSE 2 - at_lo.holds - at_hi.holds END AS never,
    CASE WHEN {{ lo }} = {{ hi }} THEN at_lo.holds
        ELSE (at_lo.holds + at_hi.holds + (groups.size - 2) * (at_hi.upto_holds - at_lo.upto_holds + at_lo.pull * at_lo.holds)
            / (at_hi.upto - at_lo.upto + at_lo.pull)) / groups.size END AS share,
    CASE WHEN {{ lo }} = {{ hi }} THEN at_lo.holds
        ELSE coalesce(part, (at_hi.rank_holds - at_lo.rank_holds + at_lo.holds) / (at_hi.rank - at_lo.rank + 1)) END AS uniform
FROM (
    SELECT
        *,
        unnest([{% for leaf in leaves %}{{ leaf.number }}{{ comma(loop.last) }}{% endfor %}]) AS leaf,
        unnest([{% for leaf in leaves %}{% if leaf.line %}{{ touches(leaf.line.true, lo, hi) }}{% else %}TRUE{% endif %}{{ comma(loop.last) }}{% endfor %}]) AS may,
        unnest([{% for leaf in leaves %}{% if leaf.line %}NOT {{ touches(leaf.line.other, lo, hi) }}{% else %}FALSE{% endif %}{{ comma(loop.last) }}{% endfor %}]) AS must,
        unnest([{% for leaf in leaves %}CASE WHEN {{ lo }} < {{ hi }} THEN {% if leaf.is_measured %}{{ part_of(leaf.line.true, attribute, lo, hi) }}{% else %}NULL{% endif %} END{{ comma(loop.last) }}{% endfor %}]) AS part
    FROM {{ rel("groups") }} AS groups
    WHERE {{ lo }} IS NOT NULL
) AS groups
JOIN {{ rel("leaf_values", attribute.name) }} AS at_lo ON at_lo.leaf = groups.leaf AND at_lo.value = {{ lo }}
JOIN {{ rel("leaf_values", attribute.name) }} AS at_hi ON at_hi.leaf = groups.leaf AND at_hi.value = {{ hi }}
WHERE CASE WHEN {{ lo }} = {{ hi }} THEN at_lo.holds = 1 ELSE {{ possibly }} END
{% else %}
SELECT
    leaf,
    gid,
    CASE WHEN hits = members THEN size ELSE hits_certain END AS sure,
    certain - hits_certain AS never,
    (hits_certain + (size - certain) * coalesce(pull_holds / nullif(pull, 0), hits / members)) / size AS share,
    hits / members AS uniform
FROM (
    SELECT
        leaf_values.leaf,
        possible.gid,
        max(possible.size) AS size,
        count(*) AS members,
        CAST(sum(possible.certain) AS BIGINT) AS certain,
        CAST(sum(leaf_values.holds) AS BIGINT) AS hits,
        CAST(sum(possible.certain * leaf_values.holds) AS BIGINT) AS hits_certain,
        sum(leaf_values.pull) AS pull,
        sum(leaf_values.pull * leaf_values.holds) AS pull_holds
    FROM {{ rel("possible_values", attribute.name) }} AS possible
    JOIN {{ rel("leaf_values", attribute.name) }} AS leaf_values ON leaf_values.value = possible.value
    GROUP BY leaf_values.leaf, possible.gid
    HAVING hits > 0
) AS members
{% endif %}
