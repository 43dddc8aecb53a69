-- Flights and miles by origin and distance band, with totals.
SELECT origin, band, count(*) AS flights, sum(distance) AS miles
FROM (
  SELECT origin, distance, CASE WHEN distance < 500 THEN 'a short' WHEN distance < 1500 THEN 'b medium' ELSE 'c long' END AS band
  FROM flights
) AS f
GROUP BY ROLLUP (origin, band)
ORDER BY origin, band
