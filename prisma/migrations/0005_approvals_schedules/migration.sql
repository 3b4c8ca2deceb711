-- What an environment asks before a release, who approved which content, releases that wait for their time, and when each
-- runtime applied or refused a revision (specs/releases.md).
ALTER TABLE "environments"
    ADD COLUMN "required_approvals" INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN "rollback_skips_approval" BOOLEAN NOT NULL DEFAULT true,
    ADD COLUMN "requires_backtest" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "environments" ADD CONSTRAINT "environments_required_approvals_check" CHECK ("required_approvals" BETWEEN 0 AND 5);

-- Who typed last before it became a version; unknown for versions made before.
ALTER TABLE "config_versions" ADD COLUMN "edited_by" TEXT;

ALTER TABLE "releases"
    ADD COLUMN "approvals" JSON NOT NULL DEFAULT '[]',
    ADD COLUMN "approval_skipped" BOOLEAN NOT NULL DEFAULT false,
    ADD COLUMN "acknowledged" TEXT[] NOT NULL DEFAULT '{}',
    ADD COLUMN "schedule_id" TEXT;
CREATE INDEX "releases_project_id_created_at_id_idx" ON "releases"("project_id", "created_at" DESC, "id" DESC);

CREATE TABLE "approval_requests" (
    "environment_id" TEXT NOT NULL,
    "config_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "live_version" INTEGER,
    "draft_id" TEXT,
    "version" INTEGER,
    "edited_by" TEXT NOT NULL,
    "note" TEXT,
    "requested_by" TEXT NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "approval_requests_pkey" PRIMARY KEY ("environment_id", "config_id")
);
CREATE INDEX "approval_requests_project_id_idx" ON "approval_requests"("project_id");

CREATE TYPE "approval_decision" AS ENUM ('approved', 'refused');

CREATE TABLE "approvals" (
    "environment_id" TEXT NOT NULL,
    "config_id" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "person_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "decision" "approval_decision" NOT NULL,
    "live_version" INTEGER,
    "note" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "approvals_pkey" PRIMARY KEY ("environment_id", "config_id", "digest", "person_id")
);
CREATE INDEX "approvals_project_id_idx" ON "approvals"("project_id");

CREATE TYPE "schedule_state" AS ENUM ('pending', 'held', 'released', 'refused', 'cancelled');

CREATE TABLE "scheduled_releases" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "environment_id" TEXT NOT NULL,
    "config_id" TEXT NOT NULL,
    "draft_id" TEXT,
    "version" INTEGER,
    "digest" TEXT NOT NULL,
    "live_version" INTEGER,
    "note" TEXT,
    "acknowledged" TEXT[] NOT NULL DEFAULT '{}',
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "zone" TEXT NOT NULL,
    "state" "schedule_state" NOT NULL DEFAULT 'pending',
    "reason" TEXT,
    "held_by" TEXT,
    "release_id" TEXT,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "settled_at" TIMESTAMPTZ(3),

    CONSTRAINT "scheduled_releases_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "scheduled_releases_project_id_state_due_at_idx" ON "scheduled_releases"("project_id", "state", "due_at");
CREATE INDEX "scheduled_releases_config_id_state_idx" ON "scheduled_releases"("config_id", "state");

CREATE TABLE "runtime_applications" (
    "runtime_id" TEXT NOT NULL,
    "revision" INTEGER NOT NULL,
    "project_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "applied_at" TIMESTAMPTZ(3),
    "rejected_at" TIMESTAMPTZ(3),
    "reason" TEXT,

    CONSTRAINT "runtime_applications_pkey" PRIMARY KEY ("runtime_id", "revision")
);
CREATE INDEX "runtime_applications_project_id_environment_revision_idx" ON "runtime_applications"("project_id", "environment", "revision");

ALTER TABLE "approval_requests" ADD CONSTRAINT "approval_requests_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "approval_requests" ADD CONSTRAINT "approval_requests_config_id_fkey" FOREIGN KEY ("config_id") REFERENCES "configs"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_config_id_fkey" FOREIGN KEY ("config_id") REFERENCES "configs"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "scheduled_releases" ADD CONSTRAINT "scheduled_releases_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "scheduled_releases" ADD CONSTRAINT "scheduled_releases_config_id_fkey" FOREIGN KEY ("config_id") REFERENCES "configs"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "runtime_applications" ADD CONSTRAINT "runtime_applications_runtime_id_fkey" FOREIGN KEY ("runtime_id") REFERENCES "runtimes"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Kept by the table itself, so that no way of writing a report can forget it.
CREATE FUNCTION "signalbox_note_application"() RETURNS TRIGGER
LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.applied_revision IS NOT NULL AND NEW.applied_revision IS DISTINCT FROM OLD.applied_revision THEN
        INSERT INTO "runtime_applications" (runtime_id, revision, project_id, environment, applied_at)
        VALUES (NEW.id, NEW.applied_revision, NEW.project_id, NEW.environment, coalesce(NEW.applied_at, now()))
        ON CONFLICT (runtime_id, revision)
        DO UPDATE SET applied_at = coalesce("runtime_applications".applied_at, EXCLUDED.applied_at);
    END IF;
    IF NEW.rejected_revision IS NOT NULL AND NEW.rejected_revision IS DISTINCT FROM OLD.rejected_revision THEN
        INSERT INTO "runtime_applications" (runtime_id, revision, project_id, environment, rejected_at, reason)
        VALUES (NEW.id, NEW.rejected_revision, NEW.project_id, NEW.environment, NEW.last_seen_at, NEW.rejected_reason)
        ON CONFLICT (runtime_id, revision)
        DO UPDATE SET rejected_at = coalesce("runtime_applications".rejected_at, EXCLUDED.rejected_at),
            reason = EXCLUDED.reason;
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER "runtimes_note_application"
AFTER UPDATE OF "applied_revision", "rejected_revision" ON "runtimes"
FOR EACH ROW EXECUTE FUNCTION "signalbox_note_application"();
