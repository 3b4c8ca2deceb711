-- Releases that ask running sessions to take a stricter version, and which version governs a session now (specs/tighten.md).
ALTER TABLE "environment_pointers" ADD COLUMN "tighten" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "releases" ADD COLUMN "tighten" BOOLEAN NOT NULL DEFAULT false;
-- Of the newest config.applied; null: none is stored yet, and the session is under the version that it began with.
ALTER TABLE "sessions"
    ADD COLUMN "governing_digest" TEXT,
    ADD COLUMN "governing_seq" INTEGER;
