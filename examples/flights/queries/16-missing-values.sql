-- How many values are missing in each column that may miss some.
SELECT count(*) - count(dep_time) AS dep_time, count(*) - count(dep_delay) AS dep_delay,
       count(*) - count(arr_time) AS arr_time, count(*) - count(arr_delay) AS arr_delay,
       count(*) - count(tailnum) AS tailnum, count(*) - count(air_time) AS air_time,
       count(*) FILTER (WHERE dep_delay > 0) AS late, count(*) FILTER (WHERE NOT (dep_delay > 0)) AS in_time
FROM flights
