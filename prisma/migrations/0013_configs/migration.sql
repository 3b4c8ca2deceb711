-- The page of a config shows its newest denials and refused stops (specs/console.md): by prompt, newest first.
CREATE INDEX "denials_project_id_ns_key_at_id_idx" ON "denials"("project_id", "ns", "key", "at" DESC, "id" DESC);
CREATE INDEX "stops_project_id_ns_key_verdict_at_id_idx" ON "stops"("project_id", "ns", "key", "verdict", "at" DESC, "id" DESC);
