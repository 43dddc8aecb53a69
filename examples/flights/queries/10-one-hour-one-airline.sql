-- An equality and a range: the second key column narrows the range further.
-- plan: RangeScan: flights, buckets 16/16
SELECT time_hour, carrier, count(*) AS flights, sum(distance) AS miles
FROM flights
WHERE time_hour = TIMESTAMP '2013-03-08T14:00:00' AND carrier BETWEEN 'B6' AND 'EV'
GROUP BY time_hour, carrier
ORDER BY carrier
