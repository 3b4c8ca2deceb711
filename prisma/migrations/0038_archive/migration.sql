-- expand: new tables, nullable columns and a function that does the same; older builds archive nothing, and show archived sessions without events.
-- The events of archived sessions are in files, and these tables say where. An older build shows such a session without its events. It stores an
-- event that arrives late while the day's partition exists, and refuses it as a fault of the server afterwards; this build completes the session.
ALTER TABLE "sessions" ADD COLUMN "archived_at" TIMESTAMPTZ(3);

ALTER TABLE "retention_rules" ADD COLUMN "archive_days" INTEGER;

CREATE TABLE "archive_segments" (
    "project_id" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "sessions" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "written_at" TIMESTAMPTZ(3),
    "checked_at" TIMESTAMPTZ(3),

    CONSTRAINT "archive_segments_pkey" PRIMARY KEY ("project_id", "digest")
);

CREATE TABLE "archived_sessions" (
    "session_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "segment" TEXT NOT NULL,
    "start" INTEGER NOT NULL,
    "bytes" INTEGER NOT NULL,
    "digest" TEXT NOT NULL,
    "events" INTEGER NOT NULL,
    "semantics" INTEGER,
    "max_seq" INTEGER NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL,
    "recalled_at" TIMESTAMPTZ(3),

    CONSTRAINT "archived_sessions_pkey" PRIMARY KEY ("session_id")
);

CREATE INDEX "archived_sessions_project_id_segment_idx" ON "archived_sessions" ("project_id", "segment");

-- Creates the partition as a table and attaches it, so that readers and writers of other days need not wait: a session of any past day may come back
-- from the archive. A caller that waited for another one may still not see its table, so that a second one is no error.
CREATE OR REPLACE FUNCTION "signalbox_ensure_event_partition"("day" DATE) RETURNS VOID
LANGUAGE plpgsql AS $$
DECLARE
    partition_name TEXT := 'session_events_' || to_char("day", 'YYYYMMDD');
BEGIN
    IF to_regclass(partition_name) IS NOT NULL THEN
        RETURN;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('signalbox_event_partition'));
    EXECUTE format('CREATE TABLE %I (LIKE "session_events" INCLUDING ALL)', partition_name);
    EXECUTE format(
        'ALTER TABLE "session_events" ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        partition_name, "day", "day" + 1
    );
EXCEPTION WHEN duplicate_table THEN
    NULL;
END
$$;
