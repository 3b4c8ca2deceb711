-- Which check refused a stop, so that refusals of one session can be told apart by check. Stops of before are told apart by their reason.
ALTER TABLE "stops" ADD COLUMN "checker" TEXT;
-- Calls that could not be evaluated are few, and the Overview asks for the newest of them.
CREATE INDEX "denials_errors_idx" ON "denials"("project_id", "at" DESC, "id" DESC) WHERE "decision" = 'error';
-- Why, as one of three classes: kept from now on, and known of what could not be evaluated.
ALTER TABLE "denials" ADD COLUMN "reason_class" TEXT;
UPDATE "denials" SET "reason_class" = 'could_not_evaluate' WHERE "decision" = 'error';

-- What the counts of Analytics were made of, where lists can look for it: a bar leads to exactly its rows. Written by who counts.
ALTER TABLE "stops" ADD COLUMN "until" INTEGER;
ALTER TABLE "sessions" ADD COLUMN "time_used" INTEGER, ADD COLUMN "plan_end" INTEGER;
CREATE INDEX "stops_until_idx" ON "stops"("project_id", "until", "at" DESC, "id" DESC) WHERE "until" IS NOT NULL;
CREATE INDEX "sessions_ends_idx" ON "sessions"("project_id", "ended_at" DESC, "time_used") WHERE "plan_end" IS NOT NULL;

-- Of what is counted already. Imported sessions are counted nowhere.
WITH "numbered" AS (
    SELECT "id", "session_id", "seq", "verdict",
        sum(CASE WHEN "verdict" IN ('blocked', 'error') THEN 0 ELSE 1 END)
            OVER (PARTITION BY "session_id" ORDER BY "seq" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS "let"
    FROM "stops" WHERE "via" <> 'final'
), "counted" AS (
    SELECT "id", "verdict", count(*) OVER (PARTITION BY "session_id", coalesce("let", 0) ORDER BY "seq") AS "until",
        "session_id", "seq" FROM "numbered"
)
UPDATE "stops" s SET "until" = c."until" FROM "counted" c JOIN "sessions" o ON o."id" = c."session_id"
WHERE s."id" = c."id" AND c."verdict" = 'allowed' AND c."seq" <= o."rolled_seq" AND o."id" NOT LIKE 'sess_wink%';
UPDATE "sessions" SET
    "plan_end" = CASE WHEN coalesce("plan_total", 0) = 0 THEN -1 WHEN "plan_done" = 0 THEN 0 WHEN "plan_done" >= "plan_total" THEN 5
        ELSE 1 + floor("plan_done"::float8 / "plan_total" * 4) END,
    "time_used" = CASE WHEN "deadline_at" IS NULL THEN NULL WHEN "deadline_at" <= "started_at" THEN 10000
        ELSE greatest(0, least(10000, floor(extract(epoch FROM "ended_at" - "started_at")
            / extract(epoch FROM "deadline_at" - "started_at") * 100))) END
WHERE "ended_at" IS NOT NULL AND "rolled_seq" = "contiguous_seq" AND "contiguous_seq" = "max_seq"
    AND "rolled_seq" > 0 AND "id" NOT LIKE 'sess_wink%';
