import assert from 'node:assert/strict'
import type { CompatHarness } from './compat-harness.ts'
import {
  assertReceived,
  check,
  createCompatConfig,
  type Scenario,
  say,
  selectEvents,
  write,
} from './scenario.ts'

const HINT = 'Remember the changelog.'

const config = createCompatConfig({
  feedback_providers: [
    { id: 'hint', type: 'static', trigger: { every_n_calls: 1 }, feedback: HINT },
  ],
})

const noWay = ({ capabilities }: CompatHarness) =>
  capabilities.inject === 'none' ? 'the harness cannot send the model a message' : null

export const FEEDBACK_SCENARIOS: readonly Scenario[] = [
  {
    title: 'feedback after a call reaches the model',
    skip: noWay,
    async prove(harness) {
      const outcome = await harness.run({ config, script: [check(), say()] })
      assertReceived(outcome, HINT)
      const [delivered] = selectEvents(outcome, 'feedback.delivered')
      assert.equal(delivered?.data.delivery, harness.capabilities.inject)
    },
  },
  {
    title: 'feedback about a denied call reaches the model with the denial',
    skip: (harness) =>
      noWay(harness) ??
      (harness.capabilities.deny_reason ? null : 'the harness does not pass on the reason'),
    async prove(harness) {
      const denying = createCompatConfig({
        feedback_providers: config.feedback_providers ?? [],
        policies: [
          {
            id: 'check-first',
            type: 'sequential_dependency',
            dependencies: { [harness.tools.write]: [harness.tools.check] },
          },
        ],
      })
      assertReceived(await harness.run({ config: denying, script: [write('a.txt'), say()] }), HINT)
    },
  },
]
