-- expand: wider checks and a nullable column. Older builds announce no call and send to no new kind of destination.
ALTER TABLE "alert_rules" DROP CONSTRAINT "alert_rules_signal_check";
ALTER TABLE "alert_rules" ADD CONSTRAINT "alert_rules_signal_check" CHECK ("signal" IN (
  'blocked_stops', 'bypassed_stops', 'error_verdicts', 'denial_rate', 'lost_sessions', 'runtimes_behind', 'approval_waiting', 'approval_lapsing'));

ALTER TABLE "alert_deliveries" DROP CONSTRAINT "alert_deliveries_kind_check";
ALTER TABLE "alert_deliveries" ADD CONSTRAINT "alert_deliveries_kind_check" CHECK ("kind" IN (
  'webhook', 'chat', 'email', 'slack', 'teams', 'discord', 'pagerduty'));

ALTER TABLE "call_approvals" ADD COLUMN "half_over_at" TIMESTAMPTZ(3);
