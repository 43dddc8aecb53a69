-- Destinations that are not among the airports.
SELECT f.dest, count(*) AS flights
FROM flights f
LEFT JOIN airports a ON a.faa = f.dest
WHERE a.faa IS NULL
GROUP BY f.dest
ORDER BY f.dest
