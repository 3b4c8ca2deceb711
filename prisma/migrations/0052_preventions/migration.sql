-- expand: a new table, which older builds ignore.
-- Searches for the smallest change that would have refused one call or stop (specs/prevention.md).
CREATE TABLE "preventions" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'queued',
    "error" TEXT,
    "sessions_found" INTEGER,
    "sessions_read" INTEGER NOT NULL DEFAULT 0,
    "findings" JSON,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "preventions_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "preventions_status_check" CHECK ("status" IN ('queued', 'running', 'done', 'cancelled', 'failed'))
);
CREATE INDEX "preventions_project_id_session_id_seq_created_at_idx" ON "preventions"("project_id", "session_id", "seq", "created_at" DESC);
CREATE INDEX "preventions_session_id_idx" ON "preventions"("session_id");
