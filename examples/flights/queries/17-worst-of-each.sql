-- The worst delay of each airline.
SELECT carrier, dep_delay, time_hour, flight, dest
FROM (
  SELECT *, row_number() OVER (PARTITION BY carrier ORDER BY dep_delay DESC NULLS LAST, time_hour, flight) AS nth
  FROM flights
) AS ranked
WHERE nth = 1
ORDER BY carrier
