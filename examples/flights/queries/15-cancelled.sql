-- Flights that never left, by month.
SELECT month, count(*) AS flights, count(*) FILTER (WHERE dep_time IS NULL) AS cancelled,
       count(*) FILTER (WHERE dep_time IS NOT NULL AND arr_delay IS NULL) AS diverted
FROM flights
GROUP BY month
ORDER BY month
