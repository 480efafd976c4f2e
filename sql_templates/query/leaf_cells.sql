{#
relation = "leaf_cells_{attribute}"
grain = "one row per condition and group of which some tuple may satisfy it"
key = ["leaf", "gid"]
inputs = ["groups", "shown_cells_{attribute}", "withheld_leaves_{withheld}"]
params = ["attribute", "leaves", "cells"]
columns = ["leaf", "gid", "sure", "never", "share", "uniform"]
why = "Cells of every form: shown, NULL, withheld, or bucketed, where everything is NULL and the bucket decides tuple by tuple."
#}
SELECT leaf, gid, sure, never, share, uniform
FROM {{ rel("shown_cells", attribute.name) }}
{% if cells.shown_nulls and leaves | selectattr("holds_at_null") | list %}
UNION ALL
SELECT leaf, gid, size, 0, 1, 1
FROM {{ rel("groups") }}, (
    SELECT unnest([{% for leaf in leaves if leaf.holds_at_null %}{{ leaf.number }}{{ comma(loop.last) }}{% endfor %}]) AS leaf
) AS leaves
WHERE {{ col(attribute.name, "form") }} = 'Q'
    AND {% if attribute.ordered %}{{ col(attribute.name, "lo") }}{% else %}{{ col(attribute.name, "set") }}[1]{% endif %} IS NULL
{% endif %}
{% if cells.withheld %}
UNION ALL
SELECT leaf, gid, CASE WHEN must THEN size ELSE 0 END, 0, share, share
FROM {{ rel("groups") }}, {{ rel("withheld_leaves", attribute.name) }}
WHERE {{ col(attribute.name, "form") }} = 'W' AND may
{% endif %}
{% if cells.bucketed %}
UNION ALL
SELECT leaf, gid, NULL, NULL, NULL, NULL
FROM {{ rel("groups") }}, (SELECT unnest([{% for leaf in leaves %}{{ leaf.number }}{{ comma(loop.last) }}{% endfor %}]) AS leaf) AS leaves
WHERE {{ col(attribute.name, "form") }} = 'S'
{% endif %}
