-- Rules about one runtime (specs/alerts.md), by its name: a process that starts anew is another row and the same runtime.
ALTER TABLE "alert_rules" ADD COLUMN "runtime" TEXT;
-- Minutes are counted by environment: a rate of one runtime is not known.
ALTER TABLE "alert_rules" ADD CONSTRAINT "alert_rules_runtime_check"
  CHECK ("runtime" IS NULL OR "signal" <> 'denial_rate');
