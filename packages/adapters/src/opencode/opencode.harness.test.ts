import { whyNotInstalled } from '@signalbox/testkit'
import { describe } from 'vitest'
import { compatibility } from '../test/compatibility.ts'
import { opencodeDriver } from './test/opencode-driver.ts'

describe.skipIf(whyNotInstalled('second') !== null)('compatibility kit: opencode', () => {
  compatibility(opencodeDriver)
})
