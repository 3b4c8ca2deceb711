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
    "members" JSON NOT NULL,
    "counts" BYTEA NOT NULL,

    CONSTRAINT "learn_counts_pkey" PRIMARY KEY ("project_id", "ns", "key", "environment", "day", "label"),
    CONSTRAINT "learn_counts_label_check" CHECK ("label" IN ('good', 'bad'))
);

CREATE TABLE "suggestion_decisions" (
    "project_id" TEXT NOT NULL,
    "ns" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "suggestion" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "sentence" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "decided_by" TEXT NOT NULL,
    "decided_name" TEXT NOT NULL,
    "decided_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "suggestion_decisions_pkey" PRIMARY KEY ("project_id", "ns", "key", "suggestion"),
    CONSTRAINT "suggestion_decisions_state_check" CHECK ("state" IN ('dismissed', 'taken'))
);
