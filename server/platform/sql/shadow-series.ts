/** Condition for the series `s` (specs/analytics.md) of calls and stops that were let through and would have been denied or blocked. */
export const SHADOW_SERIES =
  "(s.kind = 'would_deny' OR s.kind = 'stop' AND s.b = 'stop.would_block' AND s.c <> 'final')"

/** Sums of these series over their hours `h`: `calls` and `stops`. */
export const SHADOW_SUMS = `coalesce(sum(h.count) FILTER (WHERE s.kind = 'would_deny'), 0)::int AS calls,
  coalesce(sum(h.count) FILTER (WHERE s.kind = 'stop'), 0)::int AS stops`
