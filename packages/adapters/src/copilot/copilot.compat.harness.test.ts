import { whyNotInstalled } from '@signalbox/testkit'
import { describe } from 'vitest'
import { compatibility } from '../test/compatibility.ts'
import { copilotDriver } from './test/copilot-driver.ts'

describe.skipIf(whyNotInstalled('second') !== null)(
  'compatibility kit, second tier: Copilot CLI',
  () => {
    compatibility(copilotDriver)
  },
)
