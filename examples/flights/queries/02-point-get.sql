-- One flight: its whole key is known, and so is its bucket.
-- plan: PointGet: flights, buckets 1/16, keys [(TIMESTAMP '2013-01-01T10:00:00', 'UA', 1545)]
SELECT origin, dest, dep_time, arr_time, tailnum, air_time
FROM flights
WHERE time_hour = '2013-01-01T10:00:00' AND carrier = 'UA' AND flight = 1545
