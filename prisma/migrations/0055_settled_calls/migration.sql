-- expand: an index.
-- Decided calls are listed by the time of their decision. One that ended without a decision has the time of its end.
CREATE INDEX "call_approvals_settled_idx" ON "call_approvals"
  ("project_id", (COALESCE("decided_at", "outcome_at", "waits_until")) DESC, "id" DESC);
