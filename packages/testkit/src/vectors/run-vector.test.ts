// The runner must notice what differs: a runner that accepts everything makes every vector pass.
import { expressionRules } from '@signalbox/core/expression'
import { expect, it } from 'vitest'
import { vectorCases } from './run-vector.ts'
import { VectorFile } from './vector-file.ts'

const engine = expressionRules({
  checkPattern: () => null,
  compile: () => ({ ok: false, message: 'There are no conditions here.' }),
})

const RIGHT = {
  id: 'one',
  why: 'A vector that holds, to be made wrong in one place at a time.',
  config: {
    policies: [{ id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['build'] } }],
    feedback_providers: [
      { id: 'hint', type: 'static', feedback: 'Go on.', trigger: { every_n_calls: 1 } },
    ],
    task_completion_checker: { id: 'plan', type: 'plan' },
  },
  events: [
    { type: 'tool.requested', data: { call_id: 'c1', tool: 'deploy', args: {} } },
    { type: 'tool.invoked', data: { call_id: 'c1', tool: 'deploy', outcome: 'denied' } },
    { type: 'plan.updated', data: { steps: [{ title: 'one' }] } },
    { type: 'stop.attempted', data: { via: 'turn_end' } },
  ],
  expect: [
    { event: 1, effect: 'tool.decided', data: { decision: 'denied', rules: [{ rule: 'order' }] } },
    { event: 2, effect: 'feedback.delivered', data: { provider: 'hint' } },
    { event: 4, effect: 'stop.decided', data: { verdict: 'blocked', bypass: { $absent: true } } },
  ],
  needs: [{ event: 1 }],
  text: [
    {
      event: 2,
      xml: "<feedback provider='Static'>\nGo on.\n</feedback>",
      plain: '[Static] Go on.',
    },
  ],
}

function runVectorProblems(kind: string, vector: object): readonly string[] {
  const file = VectorFile.parse({ area: 'a', kind, vectors: [vector] })
  return vectorCases(file, engine).flatMap(({ run }) => run())
}

it('the vector runner reports nothing for a valid vector', () => {
  expect(runVectorProblems('fold', RIGHT)).toEqual([])
})

const [decided, delivered, stopped] = RIGHT.expect

it.each<[string, object]>([
  ['a missing effect', { expect: [...RIGHT.expect, stopped] }],
  ['an unexpected effect', { expect: [decided, stopped] }],
  ['effects in another order', { expect: [delivered, decided, stopped] }],
  ['another event', { expect: [decided, delivered, { ...stopped, event: 3 }] }],
  [
    'another value',
    { expect: [{ ...decided, data: { decision: 'allowed' } }, delivered, stopped] },
  ],
  [
    'a list of another length',
    { expect: [{ ...decided, data: { rules: [] } }, delivered, stopped] },
  ],
  [
    'an unexpected field',
    { expect: [{ ...decided, data: { reason: { $absent: true } } }, delivered, stopped] },
  ],
  ['facts that are not needed', { needs: [{ event: 1, files: ['a'] }] }],
  ['another text', { text: [{ event: 2, xml: '', plain: '' }] }],
  ['a refused config', { config: { feedback_providers: [{ id: 'x', type: 'odd', trigger: {} }] } }],
])('the vector runner reports the difference: %s', (_, wrong) => {
  expect(runVectorProblems('fold', { ...RIGHT, ...wrong })).not.toEqual([])
})

it.each<[string, object]>([
  ['an event that the wire refuses', { events: [{ type: 'tool.invoked', data: {} }] }],
  ['an event of an unknown type', { events: [{ type: 'tool.dreamt', data: {} }] }],
  ['a config that the wire refuses', { config: { polices: [] } }],
])('the vector runner throws for %s', (_, wrong) => {
  expect(() => runVectorProblems('fold', { ...RIGHT, ...wrong })).toThrow('the wire')
})

it.each<[string, object]>([
  ['compile', { config: {}, refused: true, problems: [] }],
  ['render', { deliveries: [{ summary: 'a' }], xml: 'a', plain: 'a' }],
  ['duration', { seconds: 1, text: '1 second' }],
  ['path', { path: 'a', normal: 'b' }],
  ['inherit', { base: {}, own: {}, document: { name: 'x' }, origins: {}, looser: [] }],
])('the vector runner reports a difference in a %s vector', (kind, wrong) => {
  const why = 'A wrong vector of this kind.'
  expect(runVectorProblems(kind, { id: 'one', why, ...wrong })).not.toEqual([])
})
