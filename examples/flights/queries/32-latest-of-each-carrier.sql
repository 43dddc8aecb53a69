-- The latest flight of each carrier: the first row of each group, found by seeks.
-- plan: LooseScan: departures, buckets 16/16, groups (carrier)
-- not in the plan: FullScan
SELECT DISTINCT ON (carrier) carrier, time_hour, flight, origin, dest
FROM departures
ORDER BY carrier, time_hour DESC, flight
