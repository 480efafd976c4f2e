{#
relation = "links_wrong"
grain = "one row per tuple that an idt relation shows otherwise"
key = ["rid"]
inputs = ["idt", "tuples"]
params = ["attribute"]
columns = ["rid"]
paper = "Definition 10: IDT(ID, BID)"
why = "Both are stored by rid, so they are put side by side."
#}
SELECT coalesce(linked.rid, cells.rid) AS rid
FROM {{ rel("idt") }} AS linked
POSITIONAL JOIN (
    SELECT rid, {{ col(attribute.name, "bid") }} AS bid
    FROM {{ rel("tuples") }}
    WHERE {{ col(attribute.name, "bid") }} IS NOT NULL
) AS cells
WHERE linked.rid IS DISTINCT FROM cells.rid OR linked.bid IS DISTINCT FROM cells.bid
