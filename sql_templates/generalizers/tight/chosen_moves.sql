{#
relation = "chosen_moves"
grain = "one row per tuple that moves in this round"
key = ["row_id"]
inputs = ["moves"]
params = []
columns = ["row_id", "to_group"]
why = "A move counts only where it is the best of all that touch either of its groups: gains are then exact and add up."
#}
WITH turns AS (
    SELECT row_id, group_id, to_group, row_number() OVER (ORDER BY gain DESC, luck) AS turn
    FROM {{ rel("moves") }}
),
first_turns AS (
    SELECT group_id, min(turn) AS turn
    FROM (SELECT group_id, turn FROM turns UNION ALL SELECT to_group, turn FROM turns) AS touched
    GROUP BY group_id
)
SELECT turns.row_id, turns.to_group
FROM turns
JOIN first_turns AS leaving ON leaving.group_id = turns.group_id AND leaving.turn = turns.turn
JOIN first_turns AS entering ON entering.group_id = turns.to_group AND entering.turn = turns.turn
