import assert from 'node:assert/strict'
import type { CompatHarness } from './compat-harness.ts'
import {
  always,
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
const MISSING = `Missing required files: ${DONE}`

const cannotBlock = ({ capabilities }: CompatHarness) =>
  capabilities.block_stop === 'none' ? 'the harness does not call the guard before it stops' : null

function blocks(outcome: Parameters<typeof verdicts>[0]): number {
  return verdicts(outcome).filter((verdict) => verdict === 'blocked').length
}

export const STOP_SCENARIOS: readonly Scenario[] = [
  {
    title: 'an early stop is blocked, and the run continues',
    skip: cannotBlock,
    async prove(harness) {
      const config = createCompatConfig(needsFile(DONE))
      const outcome = await harness.run({ config, script: [say(), write(DONE), say('Now it is.')] })
      assertReceived(outcome, MISSING)
      assertWritten(outcome, DONE)
      const [first, second] = verdicts(outcome)
      assert.deepEqual([first, second], ['blocked', 'allowed'])
    },
  },
  {
    title: 'a stop is allowed when everything is done',
    skip: cannotBlock,
    async prove(harness) {
      const config = createCompatConfig(needsFile(DONE))
      const outcome = await harness.run({ config, files: { [DONE]: 'x' }, script: [say()] })
      assert.equal(verdicts(outcome)[0], 'allowed')
      assert.equal(blocks(outcome), 0)
    },
  },
  {
    title: 'without a checker, every stop is allowed',
    skip: always,
    async prove(harness) {
      const outcome = await harness.run({ config: createCompatConfig({}), script: [say('Bye.')] })
      assert.equal(blocks(outcome), 0)
      assert.equal(outcome.requests.length, 1)
    },
  },
  {
    title: 'a plan with open steps blocks until they are done',
    skip: (harness) =>
      cannotBlock(harness) ?? (harness.tools.plan === null ? 'the harness has no plan tool' : null),
    async prove(harness) {
      const steps = (done: boolean) => ({ calls: [{ plan: [{ title: 'Publish', done }] }] })
      const outcome = await harness.run({
        config: createCompatConfig({ task_completion_checker: { id: 'plan', type: 'plan' } }),
        script: [steps(false), say(), steps(true), say()],
      })
      assertReceived(outcome, 'You have 1 incomplete task(s) out of 1.')
      assert.deepEqual(verdicts(outcome).slice(0, 2), ['blocked', 'allowed'])
    },
  },
  {
    title: 'the model reads which of several checks failed',
    skip: cannotBlock,
    async prove(harness) {
      const checkers = ['there.txt', DONE].map((file, index) => ({
        id: `part-${index}`,
        type: 'files_exist' as const,
        files: [file],
      }))
      const outcome = await harness.run({
        config: createCompatConfig({
          task_completion_checker: { id: 'all', type: 'composite', all_must_pass: true, checkers },
        }),
        files: { 'there.txt': 'x' },
        script: [say(), write(DONE), say()],
      })
      assertReceived(outcome, MISSING)
      assert.deepEqual(verdicts(outcome).slice(0, 2), ['blocked', 'allowed'])
    },
  },
  {
    title: 'a stop after the deadline is allowed and recorded as bypassed',
    skip: cannotBlock,
    async prove(harness) {
      const config = createCompatConfig(needsFile(DONE))
      const outcome = await harness.run({ config, deadlineInMs: 0, script: [say()] })
      assert.equal(verdicts(outcome)[0], 'bypassed(deadline)')
    },
  },
  {
    title: 'a stop after the budget is spent is allowed and recorded as bypassed',
    skip: (harness) =>
      cannotBlock(harness) ?? (harness.reportsUsage ? null : 'the harness does not report usage'),
    async prove(harness) {
      const outcome = await harness.run({
        config: createCompatConfig(needsFile(DONE)),
        budget: { max_total_tokens: 1 },
        script: [check(), say()],
      })
      assert.equal(verdicts(outcome)[0], 'bypassed(budget)')
    },
  },
  {
    title: 'after the maximum of blocked stops, a stop is allowed but not recorded as complete',
    skip: cannotBlock,
    async prove(harness) {
      const config = createCompatConfig({ ...needsFile(DONE), limits: { max_stop_blocks: 2 } })
      const outcome = await harness.run({ config, script: [say(), say(), say(), say()] })
      assert.deepEqual(verdicts(outcome).slice(0, 3), [
        'blocked',
        'blocked',
        'bypassed(max_blocks)',
      ])
      assert.equal(selectEvents(outcome, 'completion.overridden').length, 1)
    },
  },
  {
    title: "the harness's own limit of blocks is known, and reaching it is recorded",
    skip: (harness) =>
      cannotBlock(harness) ??
      (harness.capabilities.max_blocks === null ? 'the harness has no limit of its own' : null),
    async prove(harness) {
      const cap = harness.capabilities.max_blocks ?? 0
      const config = createCompatConfig({
        ...needsFile(DONE),
        limits: { max_stop_blocks: cap + 10 },
      })
      const script = Array.from({ length: cap + 5 }, () => say())
      const outcome = await harness.run({ config, script })
      // The verification after the run may find the task incomplete again.
      const bypassed = verdicts(outcome).indexOf('bypassed(max_blocks)')
      assert.deepEqual(verdicts(outcome).slice(0, bypassed), Array(cap).fill('blocked'))
      assert.equal(selectEvents(outcome, 'completion.overridden').length, 1)
    },
  },
  {
    title: 'structured output is refused before it is accepted',
    skip: ({ capabilities }) =>
      capabilities.structured === 'before_accept' || capabilities.structured === 'final_message'
        ? null
        : 'the harness has no structured output that can be refused',
    async prove(harness) {
      const outcome = await harness.run({
        config: createCompatConfig(needsFile(DONE)),
        script: [{ output: { answer: 'draft' } }, write(DONE), { output: { answer: 'final' } }],
      })
      assertReceived(outcome, MISSING)
      assertWritten(outcome, DONE)
      assert.deepEqual(outcome.output, { answer: 'final' })
    },
  },
]
