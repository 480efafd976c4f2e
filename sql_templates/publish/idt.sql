{#
relation = "idt_{attribute}"
grain = "one row per tuple whose value of the attribute is bucketed"
key = ["rid"]
inputs = ["tuples"]
params = ["attribute"]
columns = ["rid", "bid"]
paper = "Definition 10: IDT(ID, BID)"
why = "A view of tuples; stored by rid, as tuples is."
#}
SELECT rid, {{ col(attribute.name, "bid") }} AS bid
FROM {{ rel("tuples") }}
WHERE {{ col(attribute.name, "bid") }} IS NOT NULL
