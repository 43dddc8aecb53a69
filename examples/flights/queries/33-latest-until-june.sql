-- The same up to a moment: in each group the seek goes to that moment.
-- plan: LooseScan: departures, buckets 16/16, groups (carrier)
-- not in the plan: filter
SELECT DISTINCT ON (carrier) carrier, time_hour, flight, origin, dest
FROM departures
WHERE time_hour <= TIMESTAMP '2013-06-15T12:00:00'
ORDER BY carrier, time_hour DESC, flight
