-- expand: new tables, which older builds ignore.
-- Rules that good sessions have in common (specs/suggestions.md).
CREATE TABLE "learn_runs" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "ns" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'queued',
    "error" TEXT,
    "sessions_found" INTEGER,
    "sessions_read" INTEGER NOT NULL DEFAULT 0,
    "findings" JSON,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "learn_runs_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "learn_runs_status_check" CHECK ("status" IN ('queued', 'running', 'done', 'cancelled', 'failed'))
);
CREATE UNIQUE INDEX "learn_runs_project_id_ns_key_environment_key" ON "learn_runs"("project_id", "ns", "key", "environment");

CREATE TABLE "learn_counts" (
    "project_id" TEXT NOT NULL,
    "ns" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "label" TEXT NOT NULL,
    "basis" TEXT NOT NULL,
    "tools" TEXT NOT NULL,
    "members" JSON NOT NULL,
    "counts" BYTEA NOT NULL,

    CONSTRAINT "learn_counts_pkey" PRIMARY KEY ("project_id", "ns", "key", "environment", "day", "label"),
    CONSTRAINT "learn_counts_label_check" CHECK ("label" IN ('good', 'bad'))
);

CREATE TABLE "dismissed_rules" (
    "project_id" TEXT NOT NULL,
    "ns" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "rule" TEXT NOT NULL,
    "sentence" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "dismissed_by" TEXT NOT NULL,
    "dismissed_name" TEXT NOT NULL,
    "dismissed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "dismissed_rules_pkey" PRIMARY KEY ("project_id", "ns", "key", "rule")
);
