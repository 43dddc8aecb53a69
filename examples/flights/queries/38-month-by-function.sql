-- A function of a key column becomes the range that it stands for.
-- plan: SkipScan: flights, buckets 16/16, ranges [TIMESTAMP '2013-05-01T00:00:00' .. TIMESTAMP '2013-06-01T00:00:00') and [(*, 'AA') .. (*, 'AA')], [
SELECT carrier, count(*) AS flights
FROM flights
WHERE date_trunc('month', time_hour) = TIMESTAMP '2013-05-01T00:00:00' AND carrier IN ('AA', 'DL')
GROUP BY carrier
ORDER BY carrier
