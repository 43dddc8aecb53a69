-- Delays by the age of the plane, in bands of five years; some have no year.
SELECT (f.year - p.year) / 5 * 5 AS age, count(*) AS flights, round(avg(f.dep_delay), 3) AS dep_delay
FROM flights f
JOIN planes p USING (tailnum)
GROUP BY (f.year - p.year) / 5 * 5
ORDER BY age
