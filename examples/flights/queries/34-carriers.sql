-- Which carriers there are, and since and until when each of them flew: both ends of each group.
-- plan: LooseScan: departures, buckets 16/16, groups (carrier), first and last
SELECT carrier, min(time_hour) AS since, max(time_hour) AS until
FROM departures
GROUP BY carrier
ORDER BY carrier
