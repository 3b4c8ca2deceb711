-- How long a project keeps what its sessions recorded, and what was removed by it (specs/records.md, Retention).
CREATE TABLE "retention_rules" (
    "project_id" TEXT NOT NULL,
    "events_days" INTEGER,
    "decisions_days" INTEGER,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "retention_rules_pkey" PRIMARY KEY ("project_id"),
    CONSTRAINT "retention_rules_events_days_check" CHECK ("events_days" BETWEEN 1 AND 3650),
    CONSTRAINT "retention_rules_decisions_days_check" CHECK ("decisions_days" BETWEEN 1 AND 3650),
    -- A decision without its session's row would lead nowhere, so events never outlive decisions.
    CONSTRAINT "retention_rules_order_check" CHECK ("decisions_days" IS NULL OR "events_days" <= "decisions_days")
);

-- What a run removed: the tombstones that the console shows.
CREATE TABLE "retention_removals" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "kind" TEXT NOT NULL,
    "days" INTEGER NOT NULL,
    "sessions" INTEGER NOT NULL,

    CONSTRAINT "retention_removals_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "retention_removals_kind_check" CHECK ("kind" IN ('events', 'decisions'))
);
CREATE INDEX "retention_removals_project_id_at_idx" ON "retention_removals"("project_id", "at" DESC);

-- Set before the events go: whoever reads the session from then on is told, and nothing is stored for it any more.
ALTER TABLE "sessions"
    ADD COLUMN "events_removed_at" TIMESTAMPTZ(3),
    ADD COLUMN "events_removed_days" INTEGER;
CREATE INDEX "sessions_partition_day_idx" ON "sessions"("partition_day");

ALTER TABLE "retention_rules" ADD CONSTRAINT "retention_rules_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
