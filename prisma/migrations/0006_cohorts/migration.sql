-- Versions for a part of the sessions: staged rollouts with their guard, and shadow versions with what would differ (specs/cohorts.md).
CREATE TYPE "rollout_kind" AS ENUM ('staged', 'watch');
CREATE TYPE "rollout_state" AS ENUM ('running', 'completed', 'stopped', 'rolled_back', 'passed');

CREATE TABLE "rollouts" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "environment_id" TEXT NOT NULL,
    "config_id" TEXT NOT NULL,
    "version_id" TEXT NOT NULL,
    "base_version_id" TEXT NOT NULL,
    "kind" "rollout_kind" NOT NULL,
    "state" "rollout_state" NOT NULL DEFAULT 'running',
    "share" INTEGER NOT NULL,
    "metric" TEXT NOT NULL,
    "ratio" DOUBLE PRECISION NOT NULL,
    "min_sessions" INTEGER NOT NULL,
    "test" JSON,
    "note" TEXT,
    "reason" TEXT,
    "author_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ends_at" TIMESTAMPTZ(3),
    "settled_at" TIMESTAMPTZ(3),

    CONSTRAINT "rollouts_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "rollouts_share_check" CHECK ("share" BETWEEN 0 AND 1000)
);
CREATE INDEX "rollouts_project_id_config_id_created_at_idx" ON "rollouts"("project_id", "config_id", "created_at" DESC);
CREATE INDEX "rollouts_state_idx" ON "rollouts"("state");

CREATE TABLE "rollout_changes" (
    "id" TEXT NOT NULL,
    "rollout_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "kind" TEXT NOT NULL,
    "share" INTEGER NOT NULL,
    "revision" INTEGER,
    "note" TEXT,
    "author_id" TEXT NOT NULL,

    CONSTRAINT "rollout_changes_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "rollout_changes_rollout_id_at_idx" ON "rollout_changes"("rollout_id", "at");

-- Each session is judged once, in the order in which it was found to be over.
CREATE TABLE "rollout_sessions" (
    "rollout_id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "cohort" TEXT NOT NULL,
    "value" INTEGER NOT NULL,

    CONSTRAINT "rollout_sessions_pkey" PRIMARY KEY ("rollout_id", "session_id")
);

CREATE TABLE "shadow_sessions" (
    "session_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "stopped" TEXT,

    CONSTRAINT "shadow_sessions_pkey" PRIMARY KEY ("session_id")
);
CREATE INDEX "shadow_sessions_project_id_environment_digest_at_idx" ON "shadow_sessions"("project_id", "environment", "digest", "at");

CREATE TABLE "shadow_differences" (
    "session_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "project_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "of_seq" INTEGER NOT NULL,
    "subject" TEXT NOT NULL,
    "tool" TEXT NOT NULL,
    "rule" TEXT NOT NULL,
    "live" TEXT NOT NULL,
    "shadow" TEXT NOT NULL,
    "text" TEXT,
    "is_exact" BOOLEAN NOT NULL,
    "own_facts" BOOLEAN NOT NULL,

    CONSTRAINT "shadow_differences_pkey" PRIMARY KEY ("session_id", "seq")
);
CREATE INDEX "shadow_differences_project_id_environment_digest_at_idx" ON "shadow_differences"("project_id", "environment", "digest", "at" DESC);

ALTER TABLE "environment_pointers"
    ADD COLUMN "rollout_id" TEXT,
    ADD COLUMN "shadow_version_id" TEXT,
    ADD COLUMN "shadow_since" TIMESTAMPTZ(3);

-- The same revision for runtimes that do not read its optional parts; null: it has none.
ALTER TABLE "bundles"
    ADD COLUMN "parts" TEXT[],
    ADD COLUMN "plain_digest" TEXT,
    ADD COLUMN "plain_body" TEXT,
    ADD COLUMN "plain_signature" TEXT;

ALTER TABLE "runtimes" ADD COLUMN "parts" JSON NOT NULL DEFAULT '[]';
ALTER TABLE "sessions" ADD COLUMN "overridden" INTEGER NOT NULL DEFAULT 0;

ALTER TABLE "rollouts" ADD CONSTRAINT "rollouts_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "rollouts" ADD CONSTRAINT "rollouts_config_id_fkey" FOREIGN KEY ("config_id") REFERENCES "configs"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "rollout_changes" ADD CONSTRAINT "rollout_changes_rollout_id_fkey" FOREIGN KEY ("rollout_id") REFERENCES "rollouts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "rollout_sessions" ADD CONSTRAINT "rollout_sessions_rollout_id_fkey" FOREIGN KEY ("rollout_id") REFERENCES "rollouts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
