-- Feedback that reached an agent, one row each, written by who counts: the bars of Analytics about feedback lead to exactly these.
CREATE TABLE "deliveries" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "ns" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "severity" TEXT NOT NULL,
    "says" TEXT NOT NULL,
    "followed" TEXT,
    "config_digest" TEXT,

    CONSTRAINT "deliveries_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "deliveries_session_id_seq_key" ON "deliveries"("session_id", "seq");
CREATE INDEX "deliveries_project_id_at_id_idx" ON "deliveries"("project_id", "at" DESC, "id" DESC);
CREATE INDEX "deliveries_project_id_provider_at_id_idx" ON "deliveries"("project_id", "provider", "at" DESC, "id" DESC);
CREATE INDEX "deliveries_project_id_ns_key_at_id_idx" ON "deliveries"("project_id", "ns", "key", "at" DESC, "id" DESC);

-- Up to where the deliveries of what is counted are listed. What was counted before is listed by a job, from the events that are kept: only
-- the counter can say what followed, and a second one in SQL would be another definition. Without feedback there is nothing to list.
ALTER TABLE "sessions" ADD COLUMN "listed_seq" INTEGER NOT NULL DEFAULT 0;
UPDATE "sessions" SET "listed_seq" = "rolled_seq" WHERE "rolled_seq" > 0 AND ("feedback" = 0 OR "id" LIKE 'sess_wink%');
CREATE INDEX "sessions_to_list_idx" ON "sessions"("project_id", "id") WHERE "listed_seq" < "rolled_seq";
