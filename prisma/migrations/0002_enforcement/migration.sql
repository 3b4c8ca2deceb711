-- What a session could not enforce (specs/enforcement.md), and the name that the harness gave a tool.
CREATE TYPE "enforcement" AS ENUM ('unknown', 'full', 'gap', 'breach');

ALTER TABLE "sessions"
    ADD COLUMN "capabilities" JSON,
    ADD COLUMN "breaches" JSON NOT NULL DEFAULT '[]',
    ADD COLUMN "breach_count" INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN "enforcement" "enforcement" NOT NULL DEFAULT 'unknown';

-- Which events they were was not kept for these sessions, and no harness said what it can: the anomalies are all that is known.
UPDATE "sessions" SET
    "breach_count" = "anomalies",
    "enforcement" = CASE
        WHEN "anomalies" > 0 THEN 'breach'::"enforcement"
        WHEN "ns" = '?' THEN 'unknown'::"enforcement"
        ELSE 'full'::"enforcement" END;

ALTER TABLE "session_events" ADD COLUMN "native_tool" TEXT;
