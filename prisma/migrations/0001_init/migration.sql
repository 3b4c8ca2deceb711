-- The whole schema at the first version. prisma/schema.prisma is its mirror; npm run check:schema proves it.

CREATE TYPE "role" AS ENUM ('viewer', 'editor', 'publisher', 'admin');

CREATE TYPE "release_kind" AS ENUM ('publish', 'promote', 'rollback');

CREATE TYPE "verification" AS ENUM ('pending', 'verified', 'diverged');

CREATE TABLE "projects" (
    "id" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "projects_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "environments" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 0,
    "requires_note" BOOLEAN NOT NULL DEFAULT false,
    "requires_typed_name" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "environments_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "users" (
    "id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "email_verified" BOOLEAN NOT NULL DEFAULT false,
    "image" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "auth_sessions" (
    "id" TEXT NOT NULL,
    "token" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "ip_address" TEXT,
    "user_agent" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "auth_sessions_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "auth_accounts" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "provider_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "access_token" TEXT,
    "refresh_token" TEXT,
    "id_token" TEXT,
    "access_token_expires_at" TIMESTAMPTZ(3),
    "refresh_token_expires_at" TIMESTAMPTZ(3),
    "scope" TEXT,
    "password" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "auth_accounts_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "auth_verifications" (
    "id" TEXT NOT NULL,
    "identifier" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "auth_verifications_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "memberships" (
    "project_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "role" "role" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "memberships_pkey" PRIMARY KEY ("project_id", "user_id")
);

CREATE TABLE "api_keys" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "scopes" TEXT[],
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "configs" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "ns" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "archived_at" TIMESTAMPTZ(3),

    CONSTRAINT "configs_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "drafts" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "config_id" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "base_version" INTEGER,
    "author_id" TEXT NOT NULL,
    "updated_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "discarded_at" TIMESTAMPTZ(3),

    CONSTRAINT "drafts_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "config_versions" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "config_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "digest" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "document" JSONB NOT NULL,
    "note" TEXT,
    "author_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "config_versions_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "releases" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "environment_id" TEXT NOT NULL,
    "config_id" TEXT NOT NULL,
    "version_id" TEXT NOT NULL,
    "previous_version_id" TEXT,
    "kind" "release_kind" NOT NULL,
    "revision" INTEGER NOT NULL,
    "note" TEXT,
    "author_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "releases_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "environment_pointers" (
    "environment_id" TEXT NOT NULL,
    "config_id" TEXT NOT NULL,
    "version_id" TEXT NOT NULL,
    "release_id" TEXT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "environment_pointers_pkey" PRIMARY KEY ("environment_id", "config_id")
);

CREATE TABLE "bundles" (
    "environment_id" TEXT NOT NULL,
    "revision" INTEGER NOT NULL,
    "digest" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "signature" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "bundles_pkey" PRIMARY KEY ("environment_id", "revision")
);

CREATE TABLE "runtimes" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "api_key_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "sdk_version" TEXT NOT NULL,
    "harness" JSON NOT NULL,
    "prompts" TEXT[],
    "capabilities" JSON NOT NULL,
    "posture" TEXT NOT NULL,
    "registered_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "applied_revision" INTEGER,
    "applied_digest" TEXT,
    "applied_at" TIMESTAMPTZ(3),
    "applied_source" TEXT,
    "rejected_revision" INTEGER,
    "rejected_reason" TEXT,
    "clock_skew_ms" INTEGER,
    "live_sessions" INTEGER NOT NULL DEFAULT 0,
    "spooled_events" INTEGER NOT NULL DEFAULT 0,
    "stopped_at" TIMESTAMPTZ(3),

    CONSTRAINT "runtimes_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "sessions" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "runtime_id" TEXT,
    "ns" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "config_digest" TEXT,
    "config_version" INTEGER,
    "harness" JSON NOT NULL,
    "partition_day" DATE NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "end_reason" TEXT,
    "last_event_at" TIMESTAMPTZ(3) NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL,
    "contiguous_seq" INTEGER NOT NULL DEFAULT 0,
    "max_seq" INTEGER NOT NULL DEFAULT 0,
    "deadline_at" TIMESTAMPTZ(3),
    "token_limit" INTEGER,
    "tokens_used" INTEGER NOT NULL DEFAULT 0,
    "plan_done" INTEGER,
    "plan_total" INTEGER,
    "calls" INTEGER NOT NULL DEFAULT 0,
    "denied" INTEGER NOT NULL DEFAULT 0,
    "feedback" INTEGER NOT NULL DEFAULT 0,
    "warnings" INTEGER NOT NULL DEFAULT 0,
    "stop_attempts" INTEGER NOT NULL DEFAULT 0,
    "stops_blocked" INTEGER NOT NULL DEFAULT 0,
    "last_verdict" TEXT,
    "last_stop_id" TEXT,
    "last_event_text" TEXT,
    "anomalies" INTEGER NOT NULL DEFAULT 0,
    "verification" "verification" NOT NULL DEFAULT 'pending',
    "diverged_seq" INTEGER,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "session_snapshots" (
    "session_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "hash" TEXT NOT NULL,
    "state" JSON NOT NULL,

    CONSTRAINT "session_snapshots_pkey" PRIMARY KEY ("session_id")
);

CREATE TABLE "session_events" (
    "session_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "partition_day" DATE NOT NULL,
    "project_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "type" TEXT NOT NULL,
    "verdict" TEXT,
    "subject" TEXT,
    "summary" TEXT,
    "duration_ms" INTEGER,
    "data" JSON NOT NULL,
    "config" TEXT,
    "trace" TEXT,
    "prev" TEXT,
    "hash" TEXT NOT NULL,

    CONSTRAINT "session_events_pkey" PRIMARY KEY ("session_id", "seq", "partition_day")
) PARTITION BY RANGE ("partition_day");

CREATE TABLE "stops" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "attempted_seq" INTEGER NOT NULL,
    "attempt" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "ns" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "via" TEXT NOT NULL,
    "verdict" TEXT NOT NULL,
    "bypass" TEXT,
    "code" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "config_digest" TEXT,

    CONSTRAINT "stops_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "denials" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "ns" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "tool" TEXT NOT NULL,
    "decision" TEXT NOT NULL,
    "rule" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "config_digest" TEXT,

    CONSTRAINT "denials_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "minute_counts" (
    "project_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "minute" TIMESTAMPTZ(0) NOT NULL,
    "calls" INTEGER NOT NULL DEFAULT 0,
    "denied" INTEGER NOT NULL DEFAULT 0,
    "feedback" INTEGER NOT NULL DEFAULT 0,
    "warnings" INTEGER NOT NULL DEFAULT 0,
    "stops" INTEGER NOT NULL DEFAULT 0,
    "blocked" INTEGER NOT NULL DEFAULT 0,
    "bypassed" INTEGER NOT NULL DEFAULT 0,
    "sessions" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "minute_counts_pkey" PRIMARY KEY ("project_id", "environment", "minute")
);

CREATE TABLE "audit_entries" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "actor_id" TEXT NOT NULL,
    "actor" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "before" JSONB,
    "after" JSONB,

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "projects_slug_key" ON "projects"("slug");
CREATE UNIQUE INDEX "environments_project_id_name_key" ON "environments"("project_id", "name");
CREATE UNIQUE INDEX "users_email_key" ON "users"("email");
CREATE UNIQUE INDEX "auth_sessions_token_key" ON "auth_sessions"("token");
CREATE INDEX "auth_sessions_user_id_idx" ON "auth_sessions"("user_id");
CREATE INDEX "auth_accounts_user_id_idx" ON "auth_accounts"("user_id");
CREATE INDEX "auth_verifications_identifier_idx" ON "auth_verifications"("identifier");
CREATE INDEX "memberships_user_id_idx" ON "memberships"("user_id");
CREATE UNIQUE INDEX "api_keys_prefix_key" ON "api_keys"("prefix");
CREATE INDEX "api_keys_project_id_idx" ON "api_keys"("project_id");
CREATE UNIQUE INDEX "configs_project_id_ns_key_key" ON "configs"("project_id", "ns", "key");
CREATE INDEX "drafts_project_id_config_id_idx" ON "drafts"("project_id", "config_id");
CREATE UNIQUE INDEX "config_versions_config_id_number_key" ON "config_versions"("config_id", "number");
CREATE INDEX "config_versions_project_id_digest_idx" ON "config_versions"("project_id", "digest");
CREATE UNIQUE INDEX "releases_environment_id_revision_key" ON "releases"("environment_id", "revision");
CREATE INDEX "releases_project_id_config_id_created_at_idx" ON "releases"("project_id", "config_id", "created_at");
CREATE INDEX "runtimes_project_id_environment_last_seen_at_idx" ON "runtimes"("project_id", "environment", "last_seen_at");
CREATE INDEX "sessions_project_id_started_at_id_idx" ON "sessions"("project_id", "started_at" DESC, "id" DESC);
CREATE INDEX "sessions_project_id_environment_started_at_id_idx" ON "sessions"("project_id", "environment", "started_at" DESC, "id" DESC);
CREATE INDEX "sessions_project_id_ns_key_started_at_idx" ON "sessions"("project_id", "ns", "key", "started_at" DESC);
CREATE INDEX "sessions_project_id_ended_at_last_event_at_idx" ON "sessions"("project_id", "ended_at", "last_event_at" DESC);
CREATE INDEX "session_events_received_at_idx" ON "session_events" USING BRIN ("received_at");
CREATE UNIQUE INDEX "stops_session_id_seq_key" ON "stops"("session_id", "seq");
CREATE INDEX "stops_project_id_at_id_idx" ON "stops"("project_id", "at" DESC, "id" DESC);
CREATE INDEX "stops_project_id_verdict_at_id_idx" ON "stops"("project_id", "verdict", "at" DESC, "id" DESC);
CREATE UNIQUE INDEX "denials_session_id_seq_key" ON "denials"("session_id", "seq");
CREATE INDEX "denials_project_id_at_id_idx" ON "denials"("project_id", "at" DESC, "id" DESC);
CREATE INDEX "denials_project_id_ns_key_rule_at_idx" ON "denials"("project_id", "ns", "key", "rule", "at" DESC);
CREATE INDEX "audit_entries_project_id_at_id_idx" ON "audit_entries"("project_id", "at" DESC, "id" DESC);

ALTER TABLE "environments" ADD CONSTRAINT "environments_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "auth_sessions" ADD CONSTRAINT "auth_sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "auth_accounts" ADD CONSTRAINT "auth_accounts_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "configs" ADD CONSTRAINT "configs_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "drafts" ADD CONSTRAINT "drafts_config_id_fkey" FOREIGN KEY ("config_id") REFERENCES "configs"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "config_versions" ADD CONSTRAINT "config_versions_config_id_fkey" FOREIGN KEY ("config_id") REFERENCES "configs"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "releases" ADD CONSTRAINT "releases_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "releases" ADD CONSTRAINT "releases_config_id_fkey" FOREIGN KEY ("config_id") REFERENCES "configs"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "releases" ADD CONSTRAINT "releases_version_id_fkey" FOREIGN KEY ("version_id") REFERENCES "config_versions"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "environment_pointers" ADD CONSTRAINT "environment_pointers_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "environment_pointers" ADD CONSTRAINT "environment_pointers_config_id_fkey" FOREIGN KEY ("config_id") REFERENCES "configs"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "environment_pointers" ADD CONSTRAINT "environment_pointers_version_id_fkey" FOREIGN KEY ("version_id") REFERENCES "config_versions"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "bundles" ADD CONSTRAINT "bundles_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Creates the partition that holds the events of sessions first seen on `day`, unless it is there. Two writers may call
-- it at once: the advisory lock lets one create while the other waits and then finds it. There is no default partition,
-- because moving rows out of one would block ingestion. Ingestion calls this in a transaction of its own before the one
-- that inserts: a new partition locks the whole table until commit.
CREATE FUNCTION "signalbox_ensure_event_partition"("day" DATE) RETURNS VOID
LANGUAGE plpgsql AS $$
DECLARE
    partition_name TEXT := 'session_events_' || to_char("day", 'YYYYMMDD');
BEGIN
    IF to_regclass(partition_name) IS NOT NULL THEN
        RETURN;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('signalbox_event_partition'));
    IF to_regclass(partition_name) IS NOT NULL THEN
        RETURN;
    END IF;
    EXECUTE format(
        'CREATE TABLE %I PARTITION OF "session_events" FOR VALUES FROM (%L) TO (%L)',
        partition_name, "day", "day" + 1
    );
END
$$;

-- The audit log only grows. A change of history needs a change of schema, which migrations record.
CREATE FUNCTION "signalbox_refuse_change"() RETURNS TRIGGER
LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'table % is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER "audit_entries_append_only"
BEFORE UPDATE OR DELETE ON "audit_entries"
FOR EACH ROW EXECUTE FUNCTION "signalbox_refuse_change"();
