-- The share of flights that arrived within a quarter of an hour, by month and origin.
SELECT month, origin, count(*) AS flights,
       round(avg(CASE WHEN arr_delay <= 15 THEN 100 WHEN arr_delay > 15 THEN 0 END), 3) AS of_arrived,
       round(avg(CASE WHEN arr_delay <= 15 THEN 100 ELSE 0 END), 3) AS of_all
FROM flights
GROUP BY month, origin
ORDER BY month, origin
