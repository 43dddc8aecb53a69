-- What is made of the loaded tables.

UPSERT INTO departures (carrier, time_hour, flight, origin, dest, tailnum, dep_delay)
SELECT carrier, time_hour, flight, origin, dest, tailnum, dep_delay FROM flights;
