-- Flights of planes that nobody registered, by airline: an anti join that knows NULL.
SELECT f.carrier, count(*) AS flights, count(f.tailnum) AS with_tailnum
FROM flights f
WHERE NOT EXISTS (SELECT 1 FROM planes p WHERE p.tailnum = f.tailnum)
GROUP BY f.carrier
ORDER BY flights DESC, f.carrier
