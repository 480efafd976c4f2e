{#
relation = "valued_units"
grain = "one row per question and unit with a value of the target that may belong to it"
key = []
inputs = ["question_units", "help", "target_ranges"]
params = ["has_buckets", "has_ranges", "has_values", "entry_type", "sum_type"]
columns = ["question", "entries", "low_sums", "high_sums", "least", "most", "taken", "takeable", "expected", "estimated", "mean", "withheld", "bid"]
paper = "Section 4.3: the help table"
why = "At least `taken` and at most `takeable` tuples of the unit have a value that counts: of a bucket's entries each is used once, of a range any number of values between its ends."
#}
{% set no_list %}CAST(NULL AS {{ entry_type }}[]){% endset %}
{% set no_sums %}{% if sum_type %}CAST(NULL AS {{ sum_type }}[]){% else %}NULL{% endif %}{% endset %}
{% if has_buckets %}
SELECT
    units.question, help.entries, {% if sum_type %}help.low_sums, help.high_sums{% else %}NULL AS low_sums, NULL AS high_sums{% endif %},
    CAST(NULL AS {{ entry_type }}) AS least, CAST(NULL AS {{ entry_type }}) AS most,
    CAST(greatest(0, units.must - (help.size - len(help.entries))) AS BIGINT) AS taken,
    CAST(least(units.may, len(help.entries)) AS BIGINT) AS takeable,
    round(units.expected * len(help.entries) / help.size, 9) AS expected,
    units.estimated * len(help.entries) / help.size AS estimated,
    {% if sum_type %}CAST(help.high_sums[len(help.entries) + 1] AS DOUBLE) / nullif(len(help.entries), 0){% else %}CAST(NULL AS DOUBLE){% endif %} AS mean,
    FALSE AS withheld, units.bid
FROM {{ rel("question_units") }} AS units
JOIN {{ rel("help") }} AS help ON help.bid = units.bid
WHERE len(help.entries) > 0
{% endif %}
{% if has_ranges %}
{% if has_buckets %}
UNION ALL
{% endif %}
SELECT
    units.question, {{ no_list }} AS entries, {{ no_sums }} AS low_sums, {{ no_sums }} AS high_sums,
    ranges.least, ranges.most,
    CAST(CASE WHEN ranges.withheld THEN 0 ELSE units.must END AS BIGINT) AS taken, CAST(units.may AS BIGINT) AS takeable,
    round(units.expected, 9) AS expected, units.estimated, ranges.mean, ranges.withheld, CAST(NULL AS BIGINT) AS bid
FROM {{ rel("question_units") }} AS units
JOIN {{ rel("target_ranges") }} AS ranges ON ranges.gid = units.gid
{% endif %}
{% if has_values %}
SELECT
    question, {{ no_list }} AS entries, {{ no_sums }} AS low_sums, {{ no_sums }} AS high_sums,
    value AS least, value AS most, CAST(must AS BIGINT) AS taken, CAST(may AS BIGINT) AS takeable,
    round(expected, 9) AS expected, estimated, {% if sum_type %}CAST(value AS DOUBLE){% else %}CAST(NULL AS DOUBLE){% endif %} AS mean, FALSE AS withheld, CAST(NULL AS BIGINT) AS bid
FROM {{ rel("question_units") }}
WHERE value IS NOT NULL
{% endif %}
