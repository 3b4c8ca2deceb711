import { SCENARIOS, whyNotInstalled } from '@signalbox/testkit'
import { describe } from 'vitest'
import { selectSample } from '@/scripts/soak-sample.mjs'
import { compatibility } from '../test/compatibility.ts'
import { claudeAgentSdkDriver } from './test/claude-agent-sdk-driver.ts'

describe.skipIf(whyNotInstalled('first') !== null)(
  'compatibility kit: the Claude Agent SDK',
  () => {
    // It starts the same program as Claude Code, where every scenario runs: every second one shows that the way works. A guard that
    // fails is different, because it is a callback here: without `onFailure` the call would run.
    const sample = new Set(selectSample(SCENARIOS, 2))
    compatibility(
      claudeAgentSdkDriver,
      SCENARIOS.filter((each) => sample.has(each) || each.title.startsWith('when the guard')),
    )
  },
)
