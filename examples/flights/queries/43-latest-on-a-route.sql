-- A covering index in descending order of time: ten entries are read, and no row.
-- plan: IndexScan: flights_by_route on flights, unsalted
-- plan: covering
-- not in the plan: Sort
SELECT time_hour, carrier, flight, tailnum, dep_delay
FROM flights
WHERE origin = 'JFK' AND dest = 'LAX'
ORDER BY time_hour DESC, carrier, flight
LIMIT 10
