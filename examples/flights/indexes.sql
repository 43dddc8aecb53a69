-- Ways to find flights other than by time: by the plane, and by the route with the latest first.

-- A plane is equality on all that is indexed: one bucket.
CREATE INDEX flights_by_plane ON flights (tailnum);
-- A route is a part of what is indexed. It would be in every bucket, and new flights are spread over
-- the routes as they are: without buckets a route is one range.
CREATE INDEX flights_by_route ON flights (origin, dest, time_hour DESC) INCLUDE (tailnum, dep_delay)
SALT_BUCKETS = 0;
