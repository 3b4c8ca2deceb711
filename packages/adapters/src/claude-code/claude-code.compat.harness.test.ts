import { SCENARIOS, whyNotInstalled } from '@signalbox/testkit'
import { describe } from 'vitest'
import { selectSample } from '@/scripts/soak-sample.mjs'
import { compatibility } from '../test/compatibility.ts'
import { claudeCommandDriver, claudeHttpDriver } from './test/claude-code-driver.ts'

describe.skipIf(whyNotInstalled('first') !== null)('compatibility kit: Claude Code', () => {
  compatibility(claudeHttpDriver, selectSample(SCENARIOS, 4))
  compatibility(claudeCommandDriver, selectSample(SCENARIOS, 4, 2))
})
