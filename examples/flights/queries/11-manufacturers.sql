-- Who built the planes that flew, and how they did.
SELECT p.manufacturer, count(*) AS flights, count(DISTINCT p.tailnum) AS planes,
       round(avg(p.seats), 3) AS seats, round(avg(f.air_time), 3) AS air_time
FROM flights f
JOIN planes p ON p.tailnum = f.tailnum
GROUP BY p.manufacturer
HAVING count(*) > 20
ORDER BY flights DESC, p.manufacturer
