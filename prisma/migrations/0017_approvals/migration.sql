-- Calls that wait for a person (specs/approvals.md): one row per approval.requested, what a person answered, and what the session's log
-- says became of it. The two may differ: an answer can come after the runtime stopped waiting.
CREATE TABLE "call_approvals" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "call_id" TEXT NOT NULL,
    "tool" TEXT NOT NULL,
    "ns" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "config_digest" TEXT,
    "rules" TEXT[] NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    -- By the server's clock once the runtime has asked; before that, by the runtime's.
    "waits_until" TIMESTAMPTZ(3) NOT NULL,
    -- When the runtime last asked for the answer; null: it has not.
    "asked_at" TIMESTAMPTZ(3),
    "decision" TEXT,
    "decided_by" TEXT,
    -- As the log and the agent's record name them, whoever they are called later.
    "decided_name" TEXT,
    "decided_at" TIMESTAMPTZ(3),
    "note" TEXT,
    -- Digest of the arguments that the person was shown.
    "input_digest" TEXT,
    "outcome" TEXT,
    "outcome_seq" INTEGER,
    "outcome_at" TIMESTAMPTZ(3),
    "outcome_note" TEXT,

    CONSTRAINT "call_approvals_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "call_approvals_decision_check" CHECK ("decision" IN ('approved', 'denied')),
    CONSTRAINT "call_approvals_outcome_check" CHECK ("outcome" IN ('approved', 'denied', 'timed_out', 'unavailable', 'ended')),
    -- A decision says who, when and on what.
    CONSTRAINT "call_approvals_decided_check" CHECK (
        ("decision" IS NULL) = ("decided_by" IS NULL) AND ("decision" IS NULL) = ("decided_name" IS NULL)
        AND ("decision" IS NULL) = ("decided_at" IS NULL) AND ("decision" IS NULL) = ("input_digest" IS NULL)
    )
);
CREATE UNIQUE INDEX "call_approvals_session_id_seq_key" ON "call_approvals"("session_id", "seq");
CREATE INDEX "call_approvals_project_id_requested_at_id_idx" ON "call_approvals"("project_id", "requested_at" DESC, "id" DESC);
CREATE INDEX "call_approvals_project_id_waits_until_idx" ON "call_approvals"("project_id", "waits_until");
CREATE INDEX "call_approvals_project_id_ns_key_tool_requested_at_idx" ON "call_approvals"("project_id", "ns", "key", "tool", "requested_at" DESC);
