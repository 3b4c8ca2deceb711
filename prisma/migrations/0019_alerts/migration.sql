-- Alerts (specs/alerts.md): what a project wants to be told of, each time it was, and whether the telling arrived.
CREATE TABLE "alert_rules" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "signal" TEXT NOT NULL,
    -- Where it looks; null: everywhere.
    "environment" TEXT,
    "ns" TEXT,
    "key" TEXT,
    "window_minutes" INTEGER NOT NULL,
    -- A count, or per cent of the signal denial_rate.
    "threshold" DOUBLE PRECISION NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "muted_until" TIMESTAMPTZ(3),
    -- [{"kind": "webhook" | "chat", "url": "https://…"}]
    "destinations" JSONB NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "alert_rules_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "alert_rules_signal_check" CHECK ("signal" IN ('blocked_stops', 'bypassed_stops', 'error_verdicts', 'denial_rate', 'lost_sessions', 'runtimes_behind')),
    CONSTRAINT "alert_rules_window_check" CHECK ("window_minutes" BETWEEN 1 AND 1440),
    CONSTRAINT "alert_rules_threshold_check" CHECK ("threshold" > 0),
    CONSTRAINT "alert_rules_config_check" CHECK (("ns" IS NULL) = ("key" IS NULL))
);
CREATE INDEX "alert_rules_project_id_created_at_idx" ON "alert_rules"("project_id", "created_at");

CREATE TABLE "alerts" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "rule_id" TEXT NOT NULL,
    -- What it is about: `dev team/agent`, or the name of a runtime.
    "scope" TEXT NOT NULL,
    -- true until it is resolved, then null: one that fires per rule and scope, however many replicas look.
    "firing" BOOLEAN,
    "fired_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "resolved_at" TIMESTAMPTZ(3),
    "value" DOUBLE PRECISION NOT NULL,
    "threshold" DOUBLE PRECISION NOT NULL,
    -- The sentence of the newest thing that counted, and where it is explained.
    "reason" TEXT NOT NULL,
    "evidence" TEXT NOT NULL,
    "muted" BOOLEAN NOT NULL DEFAULT false,
    "acknowledged_by" TEXT,
    "acknowledged_name" TEXT,
    "acknowledged_at" TIMESTAMPTZ(3),
    "acknowledged_note" TEXT,

    CONSTRAINT "alerts_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "alerts_firing_check" CHECK (("firing" IS TRUE) = ("resolved_at" IS NULL))
);
CREATE UNIQUE INDEX "alerts_rule_id_scope_firing_key" ON "alerts"("rule_id", "scope", "firing");
CREATE INDEX "alerts_project_id_fired_at_id_idx" ON "alerts"("project_id", "fired_at" DESC, "id" DESC);

CREATE TABLE "alert_deliveries" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "alert_id" TEXT NOT NULL,
    -- firing or resolved
    "event" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    -- null: not delivered yet.
    "delivered_at" TIMESTAMPTZ(3),
    "failed_at" TIMESTAMPTZ(3),
    -- What the last attempt came to: a status, or why there is none.
    "last" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "alert_deliveries_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "alert_deliveries_event_check" CHECK ("event" IN ('firing', 'resolved')),
    CONSTRAINT "alert_deliveries_kind_check" CHECK ("kind" IN ('webhook', 'chat'))
);
CREATE INDEX "alert_deliveries_alert_id_idx" ON "alert_deliveries"("alert_id");
CREATE INDEX "alert_deliveries_project_id_created_at_idx" ON "alert_deliveries"("project_id", "created_at");

ALTER TABLE "alert_rules" ADD CONSTRAINT "alert_rules_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_rule_id_fkey" FOREIGN KEY ("rule_id") REFERENCES "alert_rules"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "alert_deliveries" ADD CONSTRAINT "alert_deliveries_alert_id_fkey" FOREIGN KEY ("alert_id") REFERENCES "alerts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
