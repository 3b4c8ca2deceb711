import { whyNotInstalled } from '@signalbox/testkit'
import { describe } from 'vitest'
import { compatibility } from '../test/compatibility.ts'
import { geminiCliDriver } from './test/gemini-cli-driver.ts'

describe.skipIf(whyNotInstalled('second') !== null)(
  'compatibility kit, second tier: Gemini CLI',
  () => {
    compatibility(geminiCliDriver)
  },
)
