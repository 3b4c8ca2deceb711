import { type CompatHarness, SCENARIOS, type Scenario } from '@signalbox/testkit'
import { describe, test } from 'vitest'

export function compatibility(
  harness: CompatHarness,
  scenarios: readonly Scenario[] = SCENARIOS,
): void {
  describe(`compatibility of ${harness.name}`, () => {
    for (const { title, skip, prove } of scenarios) {
      const reason = skip(harness)
      test(title, async (context) => {
        if (reason !== null) context.skip(reason)
        await prove(harness)
      })
    }
  })
}
