{#
relation = "lgb_units_{attribute}"
grain = "one row per key, and bucket of the attribute or group that shows it or withholds it"
key = []
inputs = ["lgb_buckets_{flagged}", "lgb_cells_{shown}"]
params = ["attribute"]
columns = ["unit"]
why = "Between `least` and `most` of a unit's tuples satisfy all predicates and have a value: any of `lows`, seen from below, or of `highs`, from above, both ascending. The attribute's own predicate chooses the values, all others chose and judged the tuples, which come as a list. floor and ceiling: the expected number instead."
#}
WITH counted AS (
    SELECT
        t.key,
        t.other,
{% if attribute.role == "quasi-identifier" %}
        t.gid,
{% else %}
        t.{{ col(attribute.name, "bid") }} AS bid,
        CASE WHEN t.{{ col(attribute.name, "bid") }} IS NULL THEN t.gid END AS gid,
{% endif %}
        count(*) FILTER (WHERE t.must) AS must,
        count(*) AS may,
        sum(t.share) AS share,
        sum(t.uniform) AS uniform
    FROM (SELECT unnest({{ col(attribute.name, "tuples") }}, max_depth := 2)) AS t
    GROUP BY ALL
)
{% if attribute.role != "quasi-identifier" %}
SELECT
    {
        'key': c.key,
        'other': c.other,
        'lows': b.entries,
        'highs': b.entries,
        'least': greatest(0, c.must - (b.size - len(b.entries))),
        'most': least(c.may, len(b.entries)),
        'floor': least(len(b.entries), CAST(floor(round(c.uniform * len(b.entries) / b.size, 9)) AS BIGINT)),
        'ceiling': least(len(b.entries), CAST(ceil(round(c.uniform * len(b.entries) / b.size, 9)) AS BIGINT)),
        'below': b.below,
        'above': b.above,
        'estimated_sum': c.share * coalesce(CAST(list_sum(b.entries) AS DOUBLE), 0) / b.size,
        'estimated_count': c.share * len(b.entries) / b.size,
        'bounded': TRUE,
        'n_must': greatest(0, c.must - (b.size - b.holding)),
        'n_may': least(c.may, b.holding)
    } AS unit
FROM counted AS c
JOIN {{ rel("lgb_buckets", attribute.name) }}({{ col(attribute.name) }}) AS b ON b.bid = c.bid
WHERE b.may
{% endif %}
{% if attribute.role == "semi-sensitive" %}
UNION ALL
{% endif %}
{% if attribute.role != "sensitive" %}
SELECT
    {
        'key': c.key,
        'other': c.other,
        'lows': CASE WHEN g.low IS NULL THEN [] ELSE repeat([g.low], c.may) END,
        'highs': CASE WHEN g.low IS NULL THEN [] ELSE repeat([g.high], c.may) END,
        'least': CASE WHEN g.low IS NOT NULL AND g.must AND g.form = 'Q' THEN c.must ELSE 0 END,
        'most': CASE WHEN g.low IS NULL THEN 0 ELSE c.may END,
        'floor': CASE WHEN g.low IS NULL THEN 0
            ELSE least(c.may, CAST(floor(round(c.uniform * g.uniform, 9)) AS BIGINT)) END,
        'ceiling': CASE WHEN g.low IS NULL THEN 0
            ELSE least(c.may, CAST(ceil(round(c.uniform * g.uniform, 9)) AS BIGINT)) END,
        'below': CASE WHEN g.low < 0 THEN c.may ELSE 0 END,
        'above': CASE WHEN g.high > 0 THEN c.may ELSE 0 END,
        'estimated_sum': CASE WHEN g.is_null THEN 0 ELSE c.share * g.share * coalesce(g.mean, 0) END,
        'estimated_count': CASE WHEN g.is_null THEN 0 ELSE c.share * g.share END,
        'bounded': g.bounded,
        'n_must': CASE WHEN g.must THEN c.must ELSE 0 END,
        'n_may': c.may
    } AS unit
FROM counted AS c
JOIN {{ rel("lgb_cells", attribute.name) }}({{ col(attribute.name) }}) AS g ON g.gid = c.gid
WHERE g.may
{% endif %}
