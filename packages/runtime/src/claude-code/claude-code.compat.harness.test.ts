import { whyNotInstalled } from '@signalbox/testkit'
import { describe } from 'vitest'
import { compatibility } from '../test/compatibility.ts'
import { claudeCommandDriver, claudeHttpDriver } from './test/claude-code-driver.ts'

describe.skipIf(whyNotInstalled('first') !== null)('Claude Code', () => {
  compatibility(claudeHttpDriver)
  compatibility(claudeCommandDriver)
})
