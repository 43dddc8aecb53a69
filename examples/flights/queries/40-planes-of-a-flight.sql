-- A join on a full key gets its rows when the other side is small.
-- plan: join (tailnum)
SELECT f.time_hour, f.tailnum, p.manufacturer, p.model, p.seats
FROM flights f
JOIN planes p ON p.tailnum = f.tailnum
WHERE f.time_hour = TIMESTAMP '2013-03-08T11:00:00' AND f.carrier = 'UA'
ORDER BY f.time_hour, f.flight
