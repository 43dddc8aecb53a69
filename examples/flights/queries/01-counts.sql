-- How many rows each table has.
SELECT 'airlines' AS name, count(*) AS n FROM airlines
UNION ALL SELECT 'airports', count(*) FROM airports
UNION ALL SELECT 'flights', count(*) FROM flights
UNION ALL SELECT 'planes', count(*) FROM planes
UNION ALL SELECT 'weather', count(*) FROM weather
ORDER BY name
