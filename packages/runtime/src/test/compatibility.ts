// Runs the compatibility kit over one harness: one test for each scenario, skipped with its reason where the harness cannot.
import { type CompatHarness, SCENARIOS } from '@signalbox/testkit'
import { describe, test } from 'vitest'

export function compatibility(harness: CompatHarness): void {
  describe(`compatibility of ${harness.name}`, () => {
    for (const { title, skip, prove } of SCENARIOS) {
      const reason = skip(harness)
      test(title, async (context) => {
        if (reason !== null) context.skip(reason)
        await prove(harness)
      })
    }
  })
}
