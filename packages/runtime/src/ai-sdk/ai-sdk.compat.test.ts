import { SCENARIOS } from '@signalbox/testkit'
import { describe, test } from 'vitest'
import { aiSdkDriver, aiSdkStreamDriver } from './test/ai-sdk-driver.ts'

describe.each([aiSdkDriver, aiSdkStreamDriver])('$name', (driver) => {
  for (const { title, skip, prove } of SCENARIOS) {
    test.skipIf(skip(driver) !== null)(title, () => prove(driver))
  }
})
