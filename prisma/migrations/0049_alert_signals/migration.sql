-- expand: a wider check. A build before these signals does not evaluate rules about them, and evaluates all others.
ALTER TABLE "alert_rules" DROP CONSTRAINT "alert_rules_signal_check";
ALTER TABLE "alert_rules" ADD CONSTRAINT "alert_rules_signal_check" CHECK ("signal" IN (
  'blocked_stops', 'bypassed_stops', 'error_verdicts', 'denial_rate', 'lost_sessions', 'runtimes_behind', 'denials_after_release',
  'blocks_in_a_row', 'silent_runtimes', 'long_sessions', 'approval_waiting', 'approval_lapsing'));
