-- Destinations that are served from all three airports, from west to east.
SELECT faa, name, tz
FROM airports
WHERE faa IN (
  SELECT dest FROM flights WHERE origin = 'EWR'
  INTERSECT SELECT dest FROM flights WHERE origin = 'JFK'
  INTERSECT SELECT dest FROM flights WHERE origin = 'LGA'
)
ORDER BY lon, faa
