import assert from 'node:assert/strict'
import type { CompatHarness, CompatOutcome } from './compat-harness.ts'
import {
  assertNotWritten,
  assertReceived,
  assertWritten,
  check,
  createCompatConfig,
  needsFile,
  type Scenario,
  say,
  selectEvents,
  verdicts,
  write,
} from './scenario.ts'

const DONE = 'done.txt'
const PAUSED = 'Paused by Mira: Wait for the review.'
const ENDED = 'Ended by Mira: Enough for today.'

const PAUSE = { action: 'pause', afterCalls: 1, reason: 'Wait for the review.' } as const
const RESUME = { action: 'resume', afterCalls: 2, reason: 'The review is done.' } as const
const END = { action: 'end', afterCalls: 1, reason: 'Enough for today.' } as const

function assertDenied({ capabilities }: CompatHarness, outcome: CompatOutcome, text: string) {
  const reasons = selectEvents(outcome, 'tool.decided').map(({ data }) => data.reason)
  assert.ok(reasons.includes(text), `No call was denied with "${text}": ${reasons.join(', ')}`)
  if (capabilities.deny_reason) assertReceived(outcome, text)
}

export const CONTROL_SCENARIOS: readonly Scenario[] = [
  {
    title: 'a call of a paused session is denied, and allowed after it is resumed',
    skip: () => null,
    async prove(harness) {
      const outcome = await harness.run({
        config: createCompatConfig({}),
        orders: [PAUSE, RESUME],
        script: [check(), write('paused.txt'), write('resumed.txt'), say()],
      })
      assertDenied(harness, outcome, PAUSED)
      assertNotWritten(outcome, 'paused.txt')
      assertWritten(outcome, 'resumed.txt')
    },
  },
  {
    title: 'an ended session denies its calls and lets the next stop through',
    skip: () => null,
    async prove(harness) {
      const outcome = await harness.run({
        config: createCompatConfig(needsFile(DONE)),
        orders: [END],
        script: [check(), write(DONE), say()],
      })
      assertDenied(harness, outcome, ENDED)
      assertNotWritten(outcome, DONE)
      if (harness.capabilities.block_stop === 'none') return
      assert.equal(verdicts(outcome)[0], 'bypassed(ended)')
      assert.ok(!verdicts(outcome).includes('blocked'))
    },
  },
]
