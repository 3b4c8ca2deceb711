import assert from 'node:assert/strict'
import type { ContentRuleDocument } from '@signalbox/core'
import type { CompatHarness, CompatOutcome } from './compat-harness.ts'
import {
  always,
  assertNotWritten,
  assertReceived,
  assertWritten,
  check,
  createCompatConfig,
  type Scenario,
  say,
  selectEvents,
  write,
} from './scenario.ts'

/** Has the form of a token of GitHub. In two parts, so that no scanner takes this file for a leak. */
const SECRET = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`

const secrets = (rule: Pick<ContentRuleDocument, 'on' | 'action' | 'on_unsupported'>) =>
  createCompatConfig({ content: [{ id: 'no-secrets', kind: 'secrets', ...rule }] })

const withoutResults = ({ capabilities }: CompatHarness) =>
  capabilities.replaces_results === true ? null : 'the harness cannot replace results'

const withoutRead = ({ tools }: CompatHarness) =>
  tools.read === null ? 'the harness reads files only through commands' : null

const readSecret = {
  files: { 'key.txt': `The key is ${SECRET}.\n` },
  script: [{ calls: [{ read: 'key.txt' }] }, say()],
}

function assertNeverRecorded({ events }: CompatOutcome): void {
  assert.ok(!JSON.stringify(events).includes(SECRET), 'The log contains the secret.')
}

function assertNeverRead({ requests }: CompatOutcome): void {
  assert.ok(!requests.join('\n').includes(SECRET), 'The model received the secret.')
}

function createUnkeptScenarios(what: 'arguments' | 'results'): readonly Scenario[] {
  const on = what === 'results' ? 'result' : what
  const skip = ({ capabilities }: CompatHarness) =>
    capabilities[`replaces_${what}`] === true ? `the harness can replace ${what}` : null
  return [
    {
      title: `a config is refused whose content rule masks ${what} that the harness cannot replace`,
      skip,
      async prove(harness) {
        const config = secrets({ on, action: 'mask' })
        const run = harness.run({ config, script: [write('a.txt'), say()] })
        // Some harnesses refuse the whole run.
        const outcome = await run.catch((error: unknown) => String(error))
        if (typeof outcome === 'string') assert.match(outcome, /no guardrail config|cannot replace/)
        else assertNotWritten(outcome, 'a.txt')
      },
    },
    {
      title: `a content rule on ${what} that the harness cannot replace only warns where it allows that`,
      skip,
      async prove(harness) {
        const config = secrets({ on, action: 'mask', on_unsupported: 'warn' })
        const outcome = await harness.run({ config, script: [check(), write('a.txt'), say()] })
        assertWritten(outcome, 'a.txt')
        const [started] = selectEvents(outcome, 'session.started')
        assert.deepEqual(started?.data.capabilities?.unkept_content, ['no-secrets'])
      },
    },
  ]
}

export const CONTENT_SCENARIOS: readonly Scenario[] = [
  {
    title: 'a secret in a result is masked before the model reads it',
    skip: (harness) => withoutResults(harness) ?? withoutRead(harness),
    async prove(harness) {
      const config = secrets({ on: 'result', action: 'mask' })
      const outcome = await harness.run({ config, ...readSecret })
      assertReceived(outcome, '[secrets]')
      assertNeverRead(outcome)
      assertNeverRecorded(outcome)
    },
  },
  {
    title: 'a withheld result never reaches the model, and its call still counts as a success',
    skip: (harness) => withoutResults(harness) ?? withoutRead(harness),
    async prove(harness) {
      const config = secrets({ on: 'result', action: 'withhold' })
      const outcome = await harness.run({ config, ...readSecret })
      assertReceived(outcome, 'Result withheld: secrets.')
      assertNeverRead(outcome)
      const [invoked] = selectEvents(outcome, 'tool.invoked')
      assert.equal(invoked?.data.outcome, 'success')
    },
  },
  {
    title: 'a secret in the error of a failed call never reaches the model',
    skip: withoutResults,
    async prove(harness) {
      const config = secrets({ on: 'result', action: 'mask' })
      const { files } = readSecret
      const script = [{ calls: [{ check: 'fails with key.txt' as const }] }, say()]
      const outcome = await harness.run({ config, files, script })
      assertReceived(outcome, '[secrets]')
      assertNeverRead(outcome)
      assertNeverRecorded(outcome)
      const [invoked] = selectEvents(outcome, 'tool.invoked')
      assert.equal(invoked?.data.outcome, 'failure')
    },
  },
  ...(['arguments', 'results'] as const).flatMap(createUnkeptScenarios),
  {
    title: 'a call with a secret in its arguments does not run',
    skip: always,
    async prove(harness) {
      const config = secrets({ on: 'arguments', action: 'deny' })
      const script = [write('a.txt', `token ${SECRET}\n`), say()]
      const outcome = await harness.run({ config, script })
      assertNotWritten(outcome, 'a.txt')
      assertNeverRecorded(outcome)
    },
  },
  {
    title: 'a tool runs with masked arguments',
    skip: ({ capabilities }) =>
      capabilities.replaces_arguments === true ? null : 'the harness cannot replace arguments',
    async prove(harness) {
      const config = secrets({ on: 'arguments', action: 'mask' })
      const script = [write('a.txt', `token ${SECRET}\n`), say()]
      const outcome = await harness.run({ config, script })
      assert.equal(outcome.files['a.txt'], 'token [secrets]\n')
      assertNeverRecorded(outcome)
    },
  },
]
