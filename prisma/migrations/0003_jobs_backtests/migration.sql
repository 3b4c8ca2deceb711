-- Backtests: a config over recorded sessions, row by row, so that a run can stop anywhere and go on; and pinned cases, which keep
-- a copy of the part of the log that they need, because they outlive their session. The job queue's own tables lie in the
-- schema graphile_worker and are made by server/db/migrate.mjs.

CREATE TABLE "backtests" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "config_id" TEXT NOT NULL,
    "draft_id" TEXT,
    "version" INTEGER,
    "digest" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "custom_types" TEXT[],
    "sample" JSONB NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'queued',
    "error" TEXT,
    "sessions_found" INTEGER,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "backtests_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "backtest_units" (
    "backtest_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "project_id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "case_id" TEXT,
    "state" TEXT NOT NULL DEFAULT 'waiting',
    "reason" TEXT,
    "events" INTEGER NOT NULL DEFAULT 0,
    "first_divergence" INTEGER,
    "would_deny" INTEGER NOT NULL DEFAULT 0,
    "would_allow" INTEGER NOT NULL DEFAULT 0,
    "would_block" INTEGER NOT NULL DEFAULT 0,
    "would_release" INTEGER NOT NULL DEFAULT 0,
    "unchanged" INTEGER NOT NULL DEFAULT 0,
    "cannot_replay" INTEGER NOT NULL DEFAULT 0,
    "late_changed" INTEGER NOT NULL DEFAULT 0,
    "late_unchanged" INTEGER NOT NULL DEFAULT 0,
    "changes" INTEGER NOT NULL DEFAULT 0,
    "rules" JSONB NOT NULL DEFAULT '[]',
    "verdict" TEXT,

    CONSTRAINT "backtest_units_pkey" PRIMARY KEY ("backtest_id", "position")
);

CREATE TABLE "backtest_changes" (
    "backtest_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "seq" INTEGER NOT NULL,
    "subject" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "class" TEXT NOT NULL,
    "is_late" BOOLEAN NOT NULL,
    "rule" TEXT,
    "pointer" TEXT,
    "tool" TEXT,
    "before" JSON NOT NULL,
    "after" JSON NOT NULL,

    CONSTRAINT "backtest_changes_pkey" PRIMARY KEY ("backtest_id", "position", "seq", "subject")
);

CREATE TABLE "pinned_cases" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "config_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "call_id" TEXT,
    "name" TEXT NOT NULL,
    "recorded" TEXT NOT NULL,
    "expected" TEXT NOT NULL,
    "note" TEXT,
    "environment" TEXT NOT NULL,
    "config_digest" TEXT,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "pinned_cases_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "pinned_events" (
    "session_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "project_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "type" TEXT NOT NULL,
    "data" JSON NOT NULL,

    CONSTRAINT "pinned_events_pkey" PRIMARY KEY ("session_id", "seq")
);

CREATE INDEX "backtests_project_id_config_id_created_at_id_idx" ON "backtests"("project_id", "config_id", "created_at" DESC, "id" DESC);
CREATE INDEX "backtest_changes_backtest_id_rule_position_seq_idx" ON "backtest_changes"("backtest_id", "rule", "position", "seq");
CREATE UNIQUE INDEX "pinned_cases_config_id_session_id_seq_key" ON "pinned_cases"("config_id", "session_id", "seq");
CREATE INDEX "pinned_cases_project_id_config_id_created_at_idx" ON "pinned_cases"("project_id", "config_id", "created_at");

ALTER TABLE "backtests" ADD CONSTRAINT "backtests_config_id_fkey" FOREIGN KEY ("config_id") REFERENCES "configs"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "backtest_units" ADD CONSTRAINT "backtest_units_backtest_id_fkey" FOREIGN KEY ("backtest_id") REFERENCES "backtests"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "backtest_changes" ADD CONSTRAINT "backtest_changes_backtest_id_fkey" FOREIGN KEY ("backtest_id") REFERENCES "backtests"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "pinned_cases" ADD CONSTRAINT "pinned_cases_config_id_fkey" FOREIGN KEY ("config_id") REFERENCES "configs"("id") ON DELETE CASCADE ON UPDATE CASCADE;
