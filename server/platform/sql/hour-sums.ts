// Sums over the series `s` of hours `h` (specs/analytics.md).

const sum = (condition: string): string =>
  `coalesce(sum(h.count) FILTER (WHERE ${condition}), 0)::int`

/** Condition for calls and stop attempts. The final verification is no attempt. The list of kinds lets the index find the series. */
export const ATTEMPT_SERIES = "s.kind IN ('call', 'stop') AND (s.kind = 'call' OR s.c <> 'final')"

/** The same, and calls that a rule in shadow mode would have denied. */
export const COUNTED_SERIES =
  "s.kind IN ('call', 'would_deny', 'stop') AND (s.kind <> 'stop' OR s.c <> 'final')"

export const ATTEMPT_SUMS = {
  calls: sum("s.kind = 'call'"),
  denied: sum("s.kind = 'call' AND s.a <> 'allowed'"),
  stops: sum("s.kind = 'stop'"),
  blocked: sum("s.kind = 'stop' AND s.a = 'blocked'"),
  bypassed: sum("s.kind = 'stop' AND s.a = 'bypassed'"),
} as const

/** Condition for calls and stop attempts that were let through and would have been denied or blocked. */
export const SHADOW_SERIES =
  "(s.kind = 'would_deny' OR s.kind = 'stop' AND s.b = 'stop.would_block' AND s.c <> 'final')"

export const SHADOW_SUMS = {
  calls: sum("s.kind = 'would_deny'"),
  stops: sum("s.kind = 'stop' AND s.b = 'stop.would_block'"),
} as const
