-- The ten farthest destinations: miles flown, and miles between the coordinates of the airports.
SELECT f.origin, f.dest, b.name, max(f.distance) AS distance,
       round(max(3958.8e0 * 2 * asin(sqrt(
         power(sin(radians(b.lat - a.lat) / 2), 2)
         + cos(radians(a.lat)) * cos(radians(b.lat)) * power(sin(radians(b.lon - a.lon) / 2), 2)
       )))) AS great_circle
FROM flights f
JOIN airports a ON a.faa = f.origin
JOIN airports b ON b.faa = f.dest
GROUP BY f.origin, f.dest, b.name
ORDER BY distance DESC, f.origin, f.dest
LIMIT 10
