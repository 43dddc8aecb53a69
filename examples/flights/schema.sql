-- The tables of nycflights13. Flights are keyed by time first, which is what salting is for: every
-- new row would go to the end of the key space.

CREATE TABLE flights (
  year SMALLINT NOT NULL,
  month TINYINT NOT NULL,
  day TINYINT NOT NULL,
  dep_time SMALLINT,
  sched_dep_time SMALLINT NOT NULL,
  dep_delay SMALLINT,
  arr_time SMALLINT,
  sched_arr_time SMALLINT NOT NULL,
  arr_delay SMALLINT,
  carrier CHAR(2),
  flight INTEGER,
  tailnum VARCHAR,
  origin CHAR(3) NOT NULL,
  dest CHAR(3) NOT NULL,
  air_time SMALLINT,
  distance SMALLINT NOT NULL,
  hour TINYINT NOT NULL,
  minute TINYINT NOT NULL,
  time_hour TIMESTAMP,
  PRIMARY KEY (time_hour, carrier, flight)
) SALT_BUCKETS = 16;

CREATE TABLE weather (
  origin CHAR(3),
  year SMALLINT NOT NULL,
  month TINYINT NOT NULL,
  day TINYINT NOT NULL,
  hour TINYINT NOT NULL,
  temp DOUBLE,
  dewp DOUBLE,
  humid DOUBLE,
  wind_dir SMALLINT,
  wind_speed DOUBLE,
  wind_gust DOUBLE,
  precip DOUBLE,
  pressure DOUBLE,
  visib DOUBLE,
  time_hour TIMESTAMP,
  PRIMARY KEY (origin, time_hour)
) SALT_BUCKETS = 4;

CREATE TABLE planes (
  tailnum VARCHAR PRIMARY KEY,
  year SMALLINT,
  type VARCHAR NOT NULL,
  manufacturer VARCHAR NOT NULL,
  model VARCHAR NOT NULL,
  engines TINYINT NOT NULL,
  seats SMALLINT NOT NULL,
  speed SMALLINT,
  engine VARCHAR NOT NULL
);

CREATE TABLE airports (
  faa CHAR(3) PRIMARY KEY,
  name VARCHAR NOT NULL,
  lat DOUBLE NOT NULL,
  lon DOUBLE NOT NULL,
  alt SMALLINT NOT NULL,
  tz TINYINT NOT NULL,
  dst CHAR(1) NOT NULL,
  tzone VARCHAR
);

CREATE TABLE airlines (
  carrier CHAR(2) PRIMARY KEY,
  name VARCHAR NOT NULL
);

-- The same flights by carrier first: `derived.sql` fills it.
CREATE TABLE departures (
  carrier CHAR(2),
  time_hour TIMESTAMP,
  flight INTEGER,
  origin CHAR(3) NOT NULL,
  dest CHAR(3) NOT NULL,
  tailnum VARCHAR,
  dep_delay SMALLINT,
  PRIMARY KEY (carrier, time_hour DESC, flight)
) SALT_BUCKETS = 16;
