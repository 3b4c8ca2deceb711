export interface FakeClock {
  /** Epoch milliseconds; pass it to `createGuardrails` directly. */
  readonly now: () => number
  advance(ms: number): void
}

export function fakeClock(startsAt = 1_700_000_000_000): FakeClock {
  let at = startsAt
  return {
    now: () => at,
    advance: (ms) => {
      at += ms
    },
  }
}
