-- How delays spread.
SELECT origin, round(stddev(arr_delay), 3) AS deviation, median(arr_delay) AS median,
       min(arr_delay) AS best, max(arr_delay) AS worst
FROM flights
GROUP BY origin
ORDER BY origin
