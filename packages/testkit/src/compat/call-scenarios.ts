import assert from 'node:assert/strict'
import type { CompatHarness } from './compat-harness.ts'
import {
  always,
  assertNothingEscaped,
  assertNotWritten,
  assertReceived,
  assertWritten,
  check,
  checkFirst,
  createCompatConfig,
  type Scenario,
  say,
  selectEvents,
  write,
} from './scenario.ts'

const FAR = 'far.txt'

function requires({ tools }: CompatHarness): string {
  return `Tool '${tools.write}' requires: ${tools.check}`
}

const cannotSayWhy = ({ capabilities }: CompatHarness) =>
  capabilities.deny_reason ? null : 'the harness does not pass on the reason'

export const CALL_SCENARIOS: readonly Scenario[] = [
  {
    title: 'a denied call does not run',
    skip: always,
    async prove(harness) {
      const config = createCompatConfig(checkFirst(harness.tools))
      const outcome = await harness.run({ config, script: [write(FAR), say()] })
      assertNotWritten(outcome, FAR)
      const [decided] = selectEvents(outcome, 'tool.decided')
      assert.equal(decided?.data.decision, 'denied')
      assertNothingEscaped(outcome)
    },
  },
  {
    title: 'the model reads why a call was denied',
    skip: cannotSayWhy,
    async prove(harness) {
      const config = createCompatConfig(checkFirst(harness.tools))
      assertReceived(await harness.run({ config, script: [write(FAR), say()] }), requires(harness))
    },
  },
  {
    title: 'a call runs once its prerequisite succeeded',
    skip: ({ capabilities }) =>
      capabilities.failure === 'none'
        ? 'the harness does not distinguish success from failure'
        : null,
    async prove(harness) {
      const config = createCompatConfig(checkFirst(harness.tools))
      const outcome = await harness.run({ config, script: [check(), write(FAR), say()] })
      assertWritten(outcome, FAR)
      assertNothingEscaped(outcome)
    },
  },
  {
    title: 'a failed prerequisite satisfies nothing',
    skip: always,
    async prove(harness) {
      const config = createCompatConfig(checkFirst(harness.tools))
      const outcome = await harness.run({ config, script: [check('fails'), write(FAR), say()] })
      assertNotWritten(outcome, FAR)
      const [failed] = selectEvents(outcome, 'tool.invoked')
      const expected = harness.capabilities.failure === 'none' ? 'unknown' : 'failure'
      assert.equal(failed?.data.outcome, expected)
    },
  },
  {
    title: 'calls of one step do not satisfy each other before they are done',
    skip: always,
    async prove(harness) {
      const config = createCompatConfig(checkFirst(harness.tools))
      const batch = { calls: [{ check: 'passes' as const }, { write: FAR, content: 'x' }] }
      const outcome = await harness.run({ config, script: [batch, say()] })
      const asked = selectEvents(outcome, 'tool.requested').find(
        ({ data }) => data.tool === harness.tools.write,
      )
      assert.ok(asked, 'the guard was not called for the second call of the step')
      const done = selectEvents(outcome, 'tool.invoked').find(
        ({ data }) => data.tool === harness.tools.check && data.outcome === 'success',
      )
      const inTime = done !== undefined && done.seq < asked.seq
      if (!inTime) assertNotWritten(outcome, FAR)
      assertNothingEscaped(outcome)
    },
  },
  {
    title: 'a file that was not read is not overwritten',
    skip: always,
    async prove(harness) {
      const outcome = await harness.run({
        config: createCompatConfig(readFirst(harness)),
        files: { 'old.txt': 'as it was\n' },
        script: [write('old.txt'), say()],
      })
      assert.equal(outcome.files['old.txt'], 'as it was\n')
      assertNothingEscaped(outcome)
    },
  },
  {
    title: 'a file that was read may be overwritten',
    skip: ({ tools }) =>
      tools.read === null ? 'the harness reads files only through commands' : null,
    async prove(harness) {
      const outcome = await harness.run({
        config: createCompatConfig(readFirst(harness)),
        files: { 'old.txt': 'as it was\n' },
        script: [{ calls: [{ read: 'old.txt' }] }, write('old.txt', 'new\n'), say()],
      })
      assert.equal(outcome.files['old.txt'], 'new\n')
      assertNothingEscaped(outcome)
    },
  },
  {
    title: 'when the guard crashes, nothing runs',
    skip: ({ capabilities }) =>
      capabilities.on_guard_crash === 'open' ? 'the harness continues without its guard' : null,
    async prove(harness) {
      const config = createCompatConfig({})
      const outcome = await harness.run({ config, guard: 'crashes', script: [write(FAR), say()] })
      assertNotWritten(outcome, FAR)
    },
  },
  {
    title: 'when the guard does not answer, nothing runs',
    skip: ({ capabilities }) =>
      capabilities.on_guard_timeout === 'open' ? 'the harness continues without an answer' : null,
    async prove(harness) {
      const config = createCompatConfig({})
      const outcome = await harness.run({ config, guard: 'hangs', script: [write(FAR), say()] })
      assertNotWritten(outcome, FAR)
    },
  },
]

function readFirst({ tools }: CompatHarness) {
  return {
    policies: [
      {
        id: 'read-first',
        type: 'read_before_write' as const,
        read_tools: [tools.read ?? 'read_file'],
        write_tools: [tools.write],
      },
    ],
  }
}
