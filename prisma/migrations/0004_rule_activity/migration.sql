-- How often each rule fired and each tool was called, per prompt and UTC day of the event (specs/console.md, Editor). Added to
-- by the ingest transaction for newly stored events only, so that asking costs the same however many events there are.
CREATE TABLE "activity_days" (
    "project_id" TEXT NOT NULL,
    "ns" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "count" INTEGER NOT NULL DEFAULT 0,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "activity_days_pkey" PRIMARY KEY ("project_id", "ns", "key", "day", "kind", "name", "environment"),
    CONSTRAINT "activity_days_kind_check" CHECK ("kind" IN ('rule', 'tool', 'session'))
);

-- Who has an editor open. A row says so for half a minute; it survives nothing, and nobody needs it to.
CREATE UNLOGGED TABLE "draft_presence" (
    "config_id" TEXT NOT NULL,
    "tab" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "part" TEXT,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "draft_presence_pkey" PRIMARY KEY ("config_id", "tab")
);
ALTER TABLE "draft_presence" ADD CONSTRAINT "draft_presence_config_id_fkey" FOREIGN KEY ("config_id") REFERENCES "configs"("id") ON DELETE CASCADE ON UPDATE CASCADE;
