import { SCENARIOS } from '@signalbox/testkit'
import { describe, test } from 'vitest'
import { langchainDriver } from './test/langchain-driver.ts'

describe(langchainDriver.name, () => {
  for (const { title, skip, prove } of SCENARIOS) {
    test.skipIf(skip(langchainDriver) !== null)(title, () => prove(langchainDriver))
  }
})
