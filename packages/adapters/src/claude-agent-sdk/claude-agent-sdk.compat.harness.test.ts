import { whyNotInstalled } from '@signalbox/testkit'
import { describe } from 'vitest'
import { compatibility } from '../test/compatibility.ts'
import { claudeAgentSdkDriver } from './test/claude-agent-sdk-driver.ts'

describe.skipIf(whyNotInstalled('first') !== null)(
  'compatibility kit: the Claude Agent SDK',
  () => {
    compatibility(claudeAgentSdkDriver)
  },
)
