-- Flights that left an hour later than the mean of all to the same place: a correlated subquery.
SELECT a.name, count(*) AS later_flights
FROM flights f
JOIN airlines a ON a.carrier = f.carrier
WHERE f.dep_delay > (SELECT avg(g.dep_delay) + 60 FROM flights g WHERE g.dest = f.dest)
GROUP BY a.name
ORDER BY later_flights DESC, a.name
