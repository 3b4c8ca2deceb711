import { SCENARIOS, whyNotInstalled } from '@signalbox/testkit'
import { describe } from 'vitest'
import { selectSample } from '@/scripts/soak-sample.mjs'
import { compatibility } from '../test/compatibility.ts'
import { claudeAgentSdkDriver } from './test/claude-agent-sdk-driver.ts'

describe.skipIf(whyNotInstalled('first') !== null)(
  'compatibility kit: the Claude Agent SDK',
  () => {
    // It starts the same program as Claude Code, where every scenario runs: every second one shows that the way works.
    compatibility(claudeAgentSdkDriver, selectSample(SCENARIOS, 2))
  },
)
