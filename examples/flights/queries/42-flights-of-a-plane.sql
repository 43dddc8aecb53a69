-- An index finds the rows in one bucket, and each is then one get.
-- plan: IndexLookup: flights_by_plane -> flights, buckets 1/16, ranges ['N711MQ' .. 'N711MQ']
SELECT time_hour, carrier, flight, origin, dest, distance
FROM flights
WHERE tailnum = 'N711MQ'
ORDER BY time_hour, flight
