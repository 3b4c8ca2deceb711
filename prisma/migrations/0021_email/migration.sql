-- Rules about one reason, and e-mail as a place where alerts are told (specs/alerts.md). Its address lies in the column `url` as a mailto: URL.
ALTER TABLE "alert_deliveries" DROP CONSTRAINT "alert_deliveries_kind_check";
ALTER TABLE "alert_deliveries" ADD CONSTRAINT "alert_deliveries_kind_check" CHECK ("kind" IN ('webhook', 'chat', 'email'));
-- Of stops and calls: only those with this reason code; null: with any.
ALTER TABLE "alert_rules" ADD COLUMN "code" TEXT;
ALTER TABLE "alert_rules" ADD CONSTRAINT "alert_rules_code_check"
  CHECK ("code" IS NULL OR "signal" IN ('blocked_stops', 'bypassed_stops', 'error_verdicts'));
