-- A page in key order that goes on after the last row of another page.
-- plan: KeyMerge: time_hour, carrier, flight
-- not in the plan: Sort
SELECT time_hour, carrier, flight, origin, dest
FROM flights
WHERE (time_hour, carrier, flight) > (TIMESTAMP '2013-06-01T12:00:00', 'EV', 4000)
ORDER BY time_hour, carrier, flight
LIMIT 12
