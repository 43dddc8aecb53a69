-- Ways to find flights other than by time: by the plane, and by the route with the latest first.

CREATE INDEX flights_by_plane ON flights (tailnum, time_hour DESC);
CREATE INDEX flights_by_route ON flights (origin, dest, time_hour DESC) INCLUDE (tailnum, dep_delay);
