import { SCENARIOS } from '@signalbox/testkit'
import { describe, test } from 'vitest'
import { openaiAgentsDriver, openaiAgentsStreamDriver } from './test/openai-agents-driver.ts'

describe.each([openaiAgentsDriver, openaiAgentsStreamDriver])('$name', (driver) => {
  for (const { title, skip, prove } of SCENARIOS) {
    test.skipIf(skip(driver) !== null)(title, () => prove(driver))
  }
})
