-- Calls per minute of each prompt on each runtime (specs/alerts.md): a rate of one config, of one runtime, or both. Added to by the
-- transaction that stores events; eight days are kept, which is what the preview of a rule looks at.
CREATE TABLE "call_minutes" (
    "project_id" TEXT NOT NULL,
    -- Empty: the session names none.
    "runtime_id" TEXT NOT NULL,
    "ns" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "minute" TIMESTAMPTZ(0) NOT NULL,
    "calls" INTEGER NOT NULL,
    "denied" INTEGER NOT NULL,

    CONSTRAINT "call_minutes_pkey" PRIMARY KEY ("project_id", "runtime_id", "ns", "key", "environment", "minute")
);
CREATE INDEX "call_minutes_project_id_ns_key_minute_idx" ON "call_minutes"("project_id", "ns", "key", "minute");
CREATE INDEX "call_minutes_minute_idx" ON "call_minutes" USING BRIN ("minute");

-- Of what is stored already. Imported sessions are counted nowhere; those whose beginning is missing are counted when it comes.
INSERT INTO "call_minutes" ("project_id", "runtime_id", "ns", "key", "environment", "minute", "calls", "denied")
SELECT s."project_id", coalesce(s."runtime_id", ''), s."ns", s."key", s."environment",
    date_trunc('minute', least(e."at", e."received_at"), 'UTC'),
    count(*) FILTER (WHERE e."type" = 'tool.requested'),
    count(*) FILTER (WHERE e."type" = 'tool.decided' AND e."verdict" <> 'allowed')
FROM "sessions" s JOIN "session_events" e ON e."session_id" = s."id" AND e."partition_day" = s."partition_day"
WHERE s."ns" <> '?' AND s."id" NOT LIKE 'sess_wink%' AND s."last_event_at" > now() - interval '8 days'
    AND e."at" > now() - interval '8 days' AND e."type" IN ('tool.requested', 'tool.decided')
GROUP BY 1, 2, 3, 4, 5, 6;

-- So a rate of one runtime is known.
ALTER TABLE "alert_rules" DROP CONSTRAINT "alert_rules_runtime_check";
