-- Signing keys of a project and the records that lead from one to the next (specs/keys.md). A project without rows signs by
-- SIGNALBOX_SIGNING_KEY, as all did before; the server adds the row of that key when it starts.
CREATE TABLE "signing_keys" (
    "project_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "public_key" TEXT NOT NULL,
    "standing" TEXT,
    "sealed_seed" TEXT,
    "from_environment" BOOLEAN NOT NULL DEFAULT false,
    "record_text" TEXT,
    "record_by_previous" TEXT,
    "record_by_next" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "activated_at" TIMESTAMPTZ(3),
    "retired_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "signing_keys_pkey" PRIMARY KEY ("project_id", "id"),
    CONSTRAINT "signing_keys_standing_check" CHECK ("standing" IN ('active', 'next')),
    CONSTRAINT "signing_keys_over_check" CHECK
        ("standing" IS NULL OR ("retired_at" IS NULL AND "revoked_at" IS NULL))
);

-- One key signs, and at most one is prepared.
CREATE UNIQUE INDEX "signing_keys_project_id_standing_key" ON "signing_keys"("project_id", "standing");

ALTER TABLE "signing_keys" ADD CONSTRAINT "signing_keys_project_id_fkey"
    FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "runtimes" ADD COLUMN "keys" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[];
