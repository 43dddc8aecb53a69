-- A route within a span of time: one range of the index.
-- plan: IndexScan: flights_by_route on flights, unsalted
SELECT tailnum, count(*) AS flights
FROM flights
WHERE origin = 'EWR' AND dest = 'SFO'
  AND time_hour >= TIMESTAMP '2013-03-01T00:00:00' AND time_hour < TIMESTAMP '2013-04-01T00:00:00'
GROUP BY tailnum
ORDER BY flights DESC, tailnum
LIMIT 20
