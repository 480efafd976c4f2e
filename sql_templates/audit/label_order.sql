{#
relation = "label_order"
grain = "one row for one kind of label"
key = []
inputs = ["checked"]
params = ["label", "content"]
columns = ["labels", "trend", "serial"]
why = "Ids are drawn at random: ranked by what they stand for, they show no trend, nor are neighbours alike. Ties are broken by a hash, so both have the mean 0 and the variance 1/n of a random order whatever the contents."
#}
SELECT count(*) AS labels, corr(label, place) AS trend, corr(place, place_before) AS serial
FROM (
    SELECT label, place, lag(place) OVER (ORDER BY label) AS place_before
    FROM (
        SELECT
            {{ col(label) }} AS label,
            row_number() OVER (ORDER BY {{ col(content) }}, hash({{ col(label) }})) AS place
        FROM {{ rel("checked") }}
        WHERE {{ col(content) }} IS NOT NULL
    ) AS ranked
) AS scanned
