import { SCENARIOS, whyNotInstalled } from '@signalbox/testkit'
import { describe } from 'vitest'
import { selectSample } from '@/scripts/soak-sample.mjs'
import { compatibility } from '../test/compatibility.ts'
import { claudeAgentSdkDriver } from './test/claude-agent-sdk-driver.ts'

describe.skipIf(whyNotInstalled('first') !== null)(
  'compatibility kit: the Claude Agent SDK',
  () => {
    // The SDK starts Claude Code, which runs every scenario itself. Every third one suffices to show that callbacks work as hooks.
    compatibility(claudeAgentSdkDriver, selectSample(SCENARIOS, 5, 3))
  },
)
