-- Filters of the sessions list that few sessions pass: without these a page reads every session of its range (specs/live.md, decision 52).
CREATE INDEX "sessions_open_idx" ON "sessions"("project_id", "started_at" DESC, "id" DESC) WHERE "ended_at" IS NULL;
CREATE INDEX "sessions_not_enforced_idx" ON "sessions"("project_id", "started_at" DESC, "id" DESC)
    WHERE "enforcement" IN ('gap', 'breach');
CREATE INDEX "sessions_let_go_idx" ON "sessions"("project_id", "last_verdict", "started_at" DESC, "id" DESC)
    WHERE "last_verdict" IN ('bypassed', 'error');
CREATE INDEX "sessions_project_id_runtime_id_started_at_id_idx" ON "sessions"("project_id", "runtime_id", "started_at" DESC, "id" DESC);
