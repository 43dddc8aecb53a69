-- In the order of the columns behind a list: a merge of each carrier in each bucket.
-- plan: KeyMerge: time_hour DESC, flight
-- not in the plan: Sort
SELECT time_hour, carrier, flight, dest
FROM departures
WHERE carrier IN ('HA', 'AS', 'OO')
ORDER BY time_hour DESC, flight
LIMIT 15
