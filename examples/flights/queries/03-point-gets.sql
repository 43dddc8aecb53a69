-- Several flights, one of which never flew.
-- plan: PointGet: flights, buckets
-- not in the plan: Scan
SELECT time_hour, carrier, flight, dest
FROM flights
WHERE time_hour = TIMESTAMP '2013-01-01T10:00:00' AND carrier = 'UA' AND flight IN (1545, 1714, 999999)
ORDER BY flight
