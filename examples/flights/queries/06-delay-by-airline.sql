-- Average delays by the airline's name.
SELECT a.name, count(*) AS flights, round(avg(f.dep_delay), 3) AS dep_delay, round(avg(f.arr_delay), 3) AS arr_delay
FROM flights f
JOIN airlines a ON a.carrier = f.carrier
GROUP BY a.name
ORDER BY dep_delay DESC, a.name
