-- Counts by the hour for Analytics (specs/analytics.md): what is counted is a series, named once; its counts are narrow rows. Added to
-- by the transaction that stores events, for what became contiguous, so that each event counts once in whatever order it came.
CREATE TABLE "rollup_series" (
    -- The first 16 bytes of the SHA-256 over its names, so that writers need not ask for it.
    "id" UUID NOT NULL,
    "project_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "ns" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "config_digest" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "a" TEXT NOT NULL,
    "b" TEXT NOT NULL,
    "c" TEXT NOT NULL,

    CONSTRAINT "rollup_series_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "rollup_series_project_id_kind_ns_key_idx" ON "rollup_series"("project_id", "kind", "ns", "key");

CREATE TABLE "rollup_hours" (
    "series_id" UUID NOT NULL,
    "hour" TIMESTAMPTZ(0) NOT NULL,
    -- Writers on different connections mostly add to different rows; a reader sums them.
    "shard" SMALLINT NOT NULL,
    "count" BIGINT NOT NULL,

    CONSTRAINT "rollup_hours_pkey" PRIMARY KEY ("series_id", "hour", "shard")
) WITH (fillfactor = 80);
CREATE INDEX "rollup_hours_hour_idx" ON "rollup_hours"("hour");
ALTER TABLE "rollup_hours" ADD CONSTRAINT "rollup_hours_series_id_fkey" FOREIGN KEY ("series_id") REFERENCES "rollup_series"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- How far a session is counted, and what counting must remember between two batches. Sessions that are there already are counted by a job.
ALTER TABLE "sessions"
    ADD COLUMN "rolled_seq" INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN "rollup_state" JSON;
CREATE INDEX "sessions_to_roll_up_idx" ON "sessions"("id") WHERE "rolled_seq" < "contiguous_seq";
-- Sessions with missing events are counted up to the first that is missing; the console says how many there are.
CREATE INDEX "sessions_with_gaps_idx" ON "sessions"("project_id", "started_at") WHERE "contiguous_seq" < "max_seq";
