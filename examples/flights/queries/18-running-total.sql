-- Flights a day in January, their running total, and the change from the day before.
SELECT day, count(*) AS flights, sum(count(*)) OVER (ORDER BY day) AS so_far,
       count(*) - lag(count(*)) OVER (ORDER BY day) AS change
FROM flights
WHERE month = 1
GROUP BY day
ORDER BY day
