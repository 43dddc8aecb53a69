-- Destinations that one airline alone serves.
SELECT f.dest, min(a.name) AS airline, count(*) AS flights
FROM flights f
JOIN airlines a ON a.carrier = f.carrier
GROUP BY f.dest
HAVING count(DISTINCT f.carrier) = 1
ORDER BY flights DESC, f.dest
LIMIT 15
