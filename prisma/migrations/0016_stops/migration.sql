-- Stops are grouped by reason and opened group by group (specs/audits.md): the pages of one group, newest first, and the newest stop of
-- each group are index look-ups.
CREATE INDEX "stops_project_id_verdict_code_at_id_idx" ON "stops"("project_id", "verdict", "code", "at" DESC, "id" DESC);
