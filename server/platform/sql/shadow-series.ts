/** Condition for the series `s` (specs/analytics.md) of calls and stops that were let through and would have been denied or blocked. */
export const SHADOW_SERIES =
  "(s.kind = 'would_deny' OR s.kind = 'stop' AND s.b = 'stop.would_block' AND s.c <> 'final')"
