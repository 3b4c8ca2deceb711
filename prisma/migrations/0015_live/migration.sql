-- What a session was doing after its newest event, so that working, waiting, blocked and silent can be told apart without reading the log
-- (specs/live.md), and the order "denied most".
ALTER TABLE "sessions"
    ADD COLUMN "doing" TEXT,
    ADD COLUMN "doing_seq" INTEGER,
    ADD COLUMN "doing_text" TEXT,
    ADD CONSTRAINT "sessions_doing_check" CHECK ("doing" IN ('call', 'approval', 'refused', 'turn_over', 'lease_expired'));
CREATE INDEX "sessions_project_id_denied_id_idx" ON "sessions"("project_id", "denied" DESC, "id" DESC) WHERE "denied" > 0;
