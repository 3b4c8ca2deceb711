import {
  CUSTOM_TYPES,
  checkerDocument,
  configDocument,
  eventLog,
  extendedCheckerDocument,
  TOOLS,
} from '@signalbox/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { celExpressions } from '../../expression/index.ts'
import {
  type CheckerDocument,
  type CompiledConfig,
  type ConfigDocument,
  compileConfig,
  type EventOf,
  initialState,
  type PolicyDocument,
  type SessionEvent,
  type SessionState,
  step,
} from '../../index.ts'
import type { UnblockAction } from '../../kinds/checkers/unblock-step.ts'
import { evaluateAll } from '../evaluate-all.ts'
import { type Moment, perform } from './perform.ts'
import { type UnblockPlan, unblock } from './unblock.ts'

const options = { expressions: celExpressions(), customTypes: CUSTOM_TYPES }

function compiled(document: ConfigDocument): CompiledConfig {
  const result = compileConfig(document, options)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

type Body = Pick<SessionEvent, 'type' | 'data'>

interface Case {
  readonly checker: CheckerDocument
  readonly more?: Partial<ConfigDocument>
  readonly before?: readonly Body[]
  readonly stop?: EventOf<'stop.attempted'>['data']
}

function planFor({ checker, more = {}, before = [], stop = { via: 'turn_end' } }: Case) {
  const config = compiled({
    schema_version: 1,
    ns: 'a',
    key: 'b',
    task_completion_checker: checker,
    ...more,
  })
  let state = initialState(config.promptName)
  for (const body of before) {
    // The tables give the type and data of one event.
    state = step(config, state, at(state, body) as SessionEvent).state
  }
  return unblock(config, state, at(state, { type: 'stop.attempted', data: stop }))
}

function at<Given extends object>(state: SessionState, body: Given) {
  return { session: 'sess_1', seq: state.seq + 1, at: 1_000, ...body }
}

function ran(tool: string, outcome: 'success' | 'failure' = 'success'): Body[] {
  return [
    { type: 'tool.requested', data: { call_id: tool, tool, args: {} } },
    { type: 'tool.invoked', data: { call_id: tool, tool, outcome } },
  ]
}

const plan = (...statuses: readonly string[]): Body => ({
  type: 'plan.updated',
  data: { steps: statuses.map((status, i) => ({ title: `step ${i}`, status })) },
})

const succeeded = (id: string, tool: string, ...after: readonly string[]): CheckerDocument => ({
  id,
  type: 'tool_succeeded',
  tool,
  ...(after.length === 0 ? {} : { after }),
})

const all = (id: string, ...checkers: readonly CheckerDocument[]): CheckerDocument => ({
  id,
  type: 'composite',
  checkers,
})

const any = (id: string, ...checkers: readonly CheckerDocument[]): CheckerDocument => ({
  id,
  type: 'composite',
  all_must_pass: false,
  checkers,
})

const files = (id: string, ...names: readonly string[]): CheckerDocument => ({
  id,
  type: 'files_exist',
  files: names,
})

const dependencies = (needed: Record<string, readonly string[]>): PolicyDocument => ({
  id: 'order',
  type: 'sequential_dependency',
  dependencies: needed,
})

const texts = ({ steps }: UnblockPlan): readonly string[] => steps.map(({ text }) => text)
const absent = {
  via: 'turn_end',
  facts: { files: { a: { exists: false }, b: { exists: false } } },
} as const

describe('unblock', () => {
  it('unblock has no steps for a stop that passes', () => {
    expect(
      planFor({
        checker: files('f', 'a'),
        stop: { via: 'turn_end', facts: { files: { a: { exists: true } } } },
      }),
    ).toEqual({
      steps: [],
      attainable: true,
      isSmallest: true,
      isVerified: true,
    })
  })

  it('lists a step that two checkers share once, with both', () => {
    const { steps } = planFor({
      checker: all('x', files('f', 'a', 'b'), files('g', 'b')),
      stop: absent,
    })
    expect(steps.map(({ text, checkers }) => [text, checkers])).toEqual([
      ['Create `a`', ['f']],
      ['Create `b`', ['f', 'g']],
    ])
  })

  it('prefers shared steps over a shorter separate path', () => {
    const way = any('way', all('short', files('c1', 'c')), all('shared', files('ab', 'a', 'b')))
    const result = planFor({ checker: all('x', way, files('f', 'a', 'b')), stop: absent })
    expect(texts(result)).toEqual(['Create `a`', 'Create `b`'])
  })

  it('lists the open steps of a plan once for several checkers that read it', () => {
    const checker = all('x', { id: 'p', type: 'plan' }, { id: 'q', type: 'plan' })
    const { steps } = planFor({ checker, before: [plan('done', 'pending', 'in_progress')] })
    expect(steps.map(({ text, since }) => [text, since])).toEqual([
      ['Finish or remove “step 1”', 1],
      ['Finish “step 2”', 1],
    ])
  })

  it('lists prerequisite runs first', () => {
    const { steps } = planFor({
      checker: succeeded('d', 'deploy'),
      more: { policies: [dependencies({ deploy: ['test', 'lint'], test: ['build'] })] },
      before: ran('lint'),
    })
    expect(steps.map(({ action, prerequisiteOf }) => [action, prerequisiteOf])).toEqual([
      [{ kind: 'run', tool: 'build' }, ['test']],
      [{ kind: 'run', tool: 'test' }, ['deploy']],
      [{ kind: 'run', tool: 'deploy' }, []],
    ])
  })

  it('repeats a run that another step makes outdated', () => {
    const checker = all('x', succeeded('t', 'test', 'write_file'), succeeded('w', 'write_file'))
    const result = planFor({ checker, before: [...ran('test')] })
    expect(texts(result)).toEqual([
      'Run `write_file` until it succeeds',
      'Run `test` until it succeeds',
    ])
    expect(result.isVerified).toBe(true)
  })

  it('runs a tool twice when it must come both first and last', () => {
    const result = planFor({
      checker: all('x', succeeded('d', 'deploy'), succeeded('t', 'test', 'deploy')),
      more: { policies: [dependencies({ deploy: ['test'] })] },
    })
    expect(texts(result)).toEqual([
      'Run `test` until it succeeds',
      'Run `deploy` until it succeeds',
      'Run `test` again until it succeeds',
    ])
    expect(result).toMatchObject({ attainable: true, isVerified: true })
  })

  it.each<[string, Case, string]>([
    [
      'a tool that no section declares',
      {
        checker: succeeded('d', 'deploy'),
        more: { sections: [{ id: 's', tools: ['test'] }] },
      },
      'No section declares the tool `deploy`.',
    ],
    [
      'two runs that would each have to be the newer one',
      { checker: all('x', succeeded('a', 'test', 'lint'), succeeded('b', 'lint', 'test')) },
      'The last runs of `test`, `lint` would each have to be newer than one of the others.',
    ],
    [
      'a condition that cannot be evaluated',
      { checker: { id: 'c', type: 'expression', require: 'stop.output.done' } },
      "Checker 'c' could not be evaluated.",
    ],
    [
      'a judge that failed',
      {
        checker: { id: 'j', type: 'llm_judge', criteria: 'Good.' },
        stop: { via: 'turn_end', facts: { answers: { j: { kind: 'error', error: 'time-out' } } } },
      },
      'It could not be evaluated: time-out',
    ],
    [
      'a custom check without code',
      {
        checker: { id: 'c', type: CUSTOM_TYPES[0] },
        stop: { via: 'turn_end', facts: { answers: { c: { kind: 'unavailable' } } } },
      },
      'No code is registered for it.',
    ],
    [
      'an answer of the wrong kind',
      {
        checker: { id: 'c', type: CUSTOM_TYPES[0] },
        stop: { via: 'turn_end', facts: { answers: { c: { kind: 'policy', allow: true } } } },
      },
      'Its answer was not valid.',
    ],
  ])('gives the reason why a step is impossible: %s', (_, given, obstacle) => {
    const result = planFor(given)
    expect(result).toMatchObject({ attainable: false, isVerified: false })
    expect(result.steps.map((one) => one.obstacle)).toContain(obstacle)
  })

  it('avoids an obstacle even when the alternative is longer', () => {
    const result = planFor({
      checker: any('x', succeeded('d', 'deploy'), files('f', 'a', 'b')),
      more: { sections: [{ id: 's', tools: ['test'] }] },
      stop: absent,
    })
    expect(result).toMatchObject({ attainable: true, isVerified: true })
    expect(texts(result)).toEqual(['Create `a`', 'Create `b`'])
  })

  it('assigns the missing model of a judge to the operator', () => {
    const { steps } = planFor({
      checker: { id: 'j', type: 'llm_judge', criteria: 'Good.' },
      stop: { via: 'turn_end', facts: { answers: { j: { kind: 'unavailable' } } } },
    })
    expect(steps.map(({ text, owner }) => [text, owner])).toEqual([
      ['Configure a model for the judge in the runtime', 'operator'],
      ['Satisfy the judge: Good.', 'agent'],
    ])
  })

  it('includes a judge that passed without a model when another judge needs the model', () => {
    const judge = (id: string, required: boolean): CheckerDocument => ({
      id,
      type: 'llm_judge',
      criteria: `${id}.`,
      require_adapter: required,
    })
    const result = planFor({
      checker: all('x', judge('tolerated', false), judge('required', true)),
      stop: {
        via: 'turn_end',
        facts: {
          answers: { tolerated: { kind: 'unavailable' }, required: { kind: 'unavailable' } },
        },
      },
    })
    expect(texts(result)).toEqual([
      'Configure a model for the judge in the runtime',
      'Satisfy the judge: required.',
      'Satisfy the judge: tolerated.',
    ])
    expect(result).toMatchObject({ attainable: true, isVerified: true })
  })

  it('quotes a condition without verifying its step', () => {
    const result = planFor({
      checker: { id: 'c', type: 'expression', require: 'session.calls > 5' },
    })
    expect(texts(result)).toEqual(['Make `session.calls > 5` true'])
    expect(result).toMatchObject({ attainable: true, isVerified: false })
  })

  it('finds the smallest steps for 24 independent choices', () => {
    const pairs = Array.from({ length: 24 }, (_, i) =>
      any(`any-${i}`, files(`l-${i}`, `a-${i}`, `b-${i}`), files(`r-${i}`, `c-${i}`)),
    )
    const result = planFor({ checker: all('x', ...pairs) })
    expect(result.steps).toHaveLength(24)
    expect(result.isSmallest).toBe(true)
  })

  it('reports that the steps may not be the smallest when the tree is too large', () => {
    const name = (i: number) => `file-${i % 40}`
    const tangled = Array.from({ length: 40 }, (_, i) =>
      any(
        `any-${i}`,
        files(`l-${i}`, name(i), name(i * 7 + 3)),
        files(`r-${i}`, name(i * 3 + 1), name(i * 11)),
      ),
    )
    const result = planFor({ checker: all('x', ...tangled) })
    expect(result).toMatchObject({ attainable: true, isSmallest: false, isVerified: true })
  })
})

function* attempts(config: CompiledConfig, events: readonly SessionEvent[]): Generator<Moment> {
  let state = initialState(config.promptName)
  for (const event of events) {
    if (event.type === 'stop.attempted') yield { state, attempt: event }
    state = step(config, state, event).state
  }
}

function passes(config: CompiledConfig, { state, attempt }: Moment): boolean {
  const status = evaluateAll(config, state, attempt)?.status
  return status === 'passed' || status === 'nothing_to_check'
}

/** A check that failed to answer is not evaluated again. */
function listUnblockActions(
  config: CompiledConfig,
  { state, attempt }: Moment,
): readonly UnblockAction[] {
  const all = JSON.stringify(config.document).match(/check-\d+/g) ?? []
  const ids = all.filter((id) => {
    const kind = attempt.data.facts?.answers?.[id]?.kind
    return kind === undefined || kind === 'check' || kind === 'unavailable'
  })
  return [
    ...TOOLS.map((tool) => ({ kind: 'run', tool }) as const),
    ...['a.txt', 'b.txt'].map((path) => ({ kind: 'file', path }) as const),
    ...(state.plan?.steps ?? []).map((_, index) => ({ kind: 'plan_step', index }) as const),
    ...ids.map((rule) => ({ kind: 'answer', rule }) as const),
    { kind: 'model' },
  ]
}

function passesWithin(config: CompiledConfig, moment: Moment, length: number): boolean {
  if (passes(config, moment)) return true
  if (length === 0) return false
  return listUnblockActions(config, moment).some((action) =>
    passesWithin(config, perform(config, moment, action), length - 1),
  )
}

/** The document without rules that deny a run because of its time or arguments, which these laws do not cover. */
function onlyOrder(document: ConfigDocument): ConfigDocument {
  const ordering = (policies: readonly PolicyDocument[] = []) =>
    policies.filter(({ type }) => type === 'sequential_dependency' || type === 'approval')
  return {
    ...document,
    policies: ordering(document.policies),
    sections: (document.sections ?? []).map((outer) => ({
      ...outer,
      sections: (outer.sections ?? []).map((inner) => ({
        ...inner,
        policies: ordering(inner.policies),
      })),
    })),
  }
}

describe('unblock over random trees and logs', () => {
  it('gives steps that make the stop pass', () => {
    fc.assert(
      fc.property(configDocument, checkerDocument, eventLog, (document, checker, events) => {
        const config = compiled({ ...onlyOrder(document), task_completion_checker: checker })
        // No run succeeds in a paused session.
        const uncontrolled = events.filter(({ type }) => type !== 'session.controlled')
        for (const moment of attempts(config, uncontrolled)) {
          const { steps, attainable, isVerified } = unblock(config, moment.state, moment.attempt)
          const after = steps.reduce((now, { action }) => perform(config, now, action), moment)
          expect(passes(config, after) || !attainable).toBe(true)
          expect(isVerified).toBe(attainable)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('gives no more steps than are needed to make the stop pass', () => {
    let compared = 0
    fc.assert(
      fc.property(configDocument, checkerDocument, eventLog, (document, checker, events) => {
        const config = compiled({ ...onlyOrder(document), task_completion_checker: checker })
        for (const moment of attempts(config, events)) {
          const { steps, attainable } = unblock(config, moment.state, moment.attempt)
          if (!attainable || steps.length === 0 || steps.length > 3) continue
          compared += 1
          expect(passesWithin(config, moment, steps.length - 1)).toBe(false)
        }
      }),
      { numRuns: 300 },
    )
    expect(compared).toBeGreaterThan(50)
  })

  it('marks steps as verified only when they make the stop pass, under any rules', () => {
    fc.assert(
      fc.property(
        configDocument,
        extendedCheckerDocument,
        eventLog,
        (document, checker, events) => {
          const config = compiled({ ...document, task_completion_checker: checker })
          for (const moment of attempts(config, events)) {
            const { steps, isVerified } = unblock(config, moment.state, moment.attempt)
            const after = steps.reduce((now, { action }) => perform(config, now, action), moment)
            if (isVerified) expect(passes(config, after)).toBe(true)
            expect(steps.length === 0).toBe(passes(config, moment))
          }
        },
      ),
      { numRuns: 300 },
    )
  })
})
