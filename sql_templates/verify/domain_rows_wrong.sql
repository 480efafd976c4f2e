{#
relation = "domain_rows_wrong"
grain = "one row for a domain table with rows that no honest run writes"
key = []
inputs = ["helper"]
params = []
columns = ["out_of_order", "wrong_weights"]
why = "Rows ascend strictly by declared and value, so that none stands twice and their order tells nothing. A weight is positive and finite; a declared value has none."
#}
SELECT out_of_order, wrong_weights
FROM (
    SELECT
        count(*) FILTER (WHERE value IS NULL OR declared IS NULL OR declared < declared_before
            OR (declared = declared_before AND value <= value_before)) AS out_of_order,
        count(*) FILTER (WHERE CASE WHEN declared THEN weight IS NOT NULL
            ELSE weight IS NULL OR isnan(weight) OR isinf(weight) OR weight <= 0 END) AS wrong_weights
    FROM (
        SELECT *, lag(value) OVER () AS value_before, lag(declared) OVER () AS declared_before
        FROM {{ rel("helper") }}
    ) AS scanned
) AS counted
WHERE out_of_order > 0 OR wrong_weights > 0
