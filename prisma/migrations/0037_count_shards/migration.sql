-- expand: new tables and views; older builds keep adding to the existing tables.
-- All batches of an environment add to the same counts. Ingestion now adds to shards, one row for each of eight groups of connections, so that
-- batches rarely wait for each other's commit. A job moves the shards to the existing tables. A view shows both; readers sum its rows.
-- During an upgrade, older builds add to the existing tables and read only those. They see counts of newer builds once the job has moved
-- them, some minutes late, and never twice. After a return to an older build, the newest minutes stay in the shards until the next upgrade.
CREATE TABLE "minute_count_shards" (
    LIKE "minute_counts",
    "shard" SMALLINT NOT NULL,

    CONSTRAINT "minute_count_shards_pkey" PRIMARY KEY ("project_id", "environment", "minute", "shard")
) WITH (fillfactor = 80);

CREATE TABLE "call_minute_shards" (
    LIKE "call_minutes",
    "shard" SMALLINT NOT NULL,

    CONSTRAINT "call_minute_shards_pkey" PRIMARY KEY ("project_id", "runtime_id", "ns", "key", "environment", "minute", "shard")
) WITH (fillfactor = 80);

CREATE TABLE "activity_day_shards" (
    LIKE "activity_days" INCLUDING CONSTRAINTS,
    "shard" SMALLINT NOT NULL,

    CONSTRAINT "activity_day_shards_pkey" PRIMARY KEY ("project_id", "ns", "key", "day", "kind", "name", "environment", "shard")
) WITH (fillfactor = 80);

CREATE VIEW "all_minute_counts" AS
    SELECT "project_id", "environment", "minute", "calls", "denied", "feedback", "warnings", "stops", "blocked", "bypassed", "sessions"
    FROM "minute_counts"
    UNION ALL
    SELECT "project_id", "environment", "minute", "calls", "denied", "feedback", "warnings", "stops", "blocked", "bypassed", "sessions"
    FROM "minute_count_shards";

CREATE VIEW "all_call_minutes" AS
    SELECT "project_id", "runtime_id", "ns", "key", "environment", "minute", "calls", "denied" FROM "call_minutes"
    UNION ALL
    SELECT "project_id", "runtime_id", "ns", "key", "environment", "minute", "calls", "denied" FROM "call_minute_shards";

CREATE VIEW "all_activity_days" AS
    SELECT "project_id", "ns", "key", "day", "kind", "name", "environment", "count", "last_at" FROM "activity_days"
    UNION ALL
    SELECT "project_id", "ns", "key", "day", "kind", "name", "environment", "count", "last_at" FROM "activity_day_shards";
