import { SCENARIOS } from '@signalbox/testkit'
import { describe, test, vi } from 'vitest'
import { aiSdk6Driver } from './test/ai-sdk-6-driver.ts'

vi.mock('ai', async () => ({
  ...(await import('ai-6')),
  // The driver of `ai` 7, whose parts this one shares, names it.
  isStepCount: undefined,
}))

describe(aiSdk6Driver.name, () => {
  for (const { title, skip, prove } of SCENARIOS) {
    test.skipIf(skip(aiSdk6Driver) !== null)(title, () => prove(aiSdk6Driver))
  }
})
