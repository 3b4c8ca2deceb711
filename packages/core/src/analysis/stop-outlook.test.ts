import { CUSTOM_TYPES, eventLog, extendedConfigDocument } from '@signalbox/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { celExpressions } from '../expression/index.ts'
import {
  type CheckerDocument,
  type ConfigDocument,
  compileConfig,
  type EventOf,
  initialState,
  type SessionEvent,
  step,
} from '../index.ts'
import { checkSentence, stopSentence } from './base/stop-sentences.ts'
import { stopOutlook } from './stop-outlook.ts'

const options = { expressions: celExpressions(), customTypes: CUSTOM_TYPES }
const AT = 1_000

function compiled(document: ConfigDocument) {
  const result = compileConfig(document, options)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

function computeOutlook(checker: CheckerDocument, plan: readonly string[] = [], more = {}) {
  const base = { schema_version: 1, ns: 'a', key: 'b' } as const
  const config = compiled({ ...base, task_completion_checker: checker, ...more })
  const event: SessionEvent = {
    session: 'sess_1',
    seq: 1,
    at: AT,
    type: 'plan.updated',
    data: { steps: plan.map((status, i) => ({ title: `step ${i}`, status })) },
  }
  const { state } = step(config, initialState(config.promptName), event)
  return stopOutlook(config, state, { at: AT, harnessMaxBlocks: null })
}

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
const PLAN: CheckerDocument = { id: 'plan', type: 'plan' }
const NOTES: CheckerDocument = { id: 'notes', type: 'files_exist', files: ['NOTES.md'] }
const NOTES_TOO: CheckerDocument = { id: 'more', type: 'files_exist', files: ['a', 'b'] }
const JUDGE: CheckerDocument = { id: 'judge', type: 'llm_judge', criteria: 'Good.' }

describe('the outlook of a stop', () => {
  it('the outlook of a stop is known when a check without look-ups decides, and names the open items', () => {
    const { verdict, code, checks, remaining } = computeOutlook(all('x', NOTES, PLAN), [
      'done',
      'open',
    ])
    expect([verdict, code]).toEqual(['blocked', 'plan.open_steps'])
    expect(checks?.status).toBe('incomplete')
    expect(checks?.children?.map(({ status }) => status)).toEqual(['unknown', 'incomplete'])
    expect(remaining.steps.map(({ text }) => text)).toEqual(['Finish “step 1”'])
  })

  it('gives the check of a known verdict, so that its reason can be shown', () => {
    const outlook = computeOutlook(any('x', PLAN, { id: 'y', type: 'plan' }), ['open'])
    expect(stopSentence(outlook)).toBe(
      '1 of 1 plan steps is not done · 1 of 1 plan steps is not done',
    )
    expect(computeOutlook(NOTES).check).toBeNull()
  })

  it.each<[string, CheckerDocument, string]>([
    ['files', NOTES, 'outlook.files'],
    ['a judge', JUDGE, 'outlook.judge'],
    ['custom code', { id: 'c', type: CUSTOM_TYPES[0] }, 'outlook.custom'],
    [
      'a condition on the stop',
      { id: 'e', type: 'expression', require: 'has(stop.output)' },
      'outlook.attempt',
    ],
  ])('is unknown, not a pass, when only %s is left', (_, leaf, code) => {
    const { verdict, checks, remaining } = computeOutlook(all('x', PLAN, leaf), ['done'])
    expect(verdict).toBe('unknown')
    expect(checks?.children?.[1]).toMatchObject({ status: 'unknown', code })
    expect(remaining.steps).toEqual([])
  })

  it('names the files that are looked up only at the stop', () => {
    const { checks } = computeOutlook(NOTES)
    expect(checks === null ? '' : checkSentence(checks)).toBe(
      'Existence is looked up when the agent stops: NOTES.md',
    )
  })

  it('the outlook of a stop has every check of the tree, with the reason why one is unknown', () => {
    expect(computeOutlook(any('x', NOTES, JUDGE, all('y', PLAN, NOTES_TOO)), ['open'])).toEqual({
      verdict: 'unknown',
      code: 'outlook.unknown',
      params: {},
      check: null,
      checks: {
        checker: 'x',
        type: 'composite',
        code: 'outlook.unknown',
        params: {},
        status: 'unknown',
        children: [
          {
            checker: 'notes',
            type: 'files_exist',
            code: 'outlook.files',
            params: { files: ['NOTES.md'] },
            status: 'unknown',
            children: null,
          },
          {
            checker: 'judge',
            type: 'llm_judge',
            code: 'outlook.judge',
            params: {},
            status: 'unknown',
            children: null,
          },
          {
            checker: 'y',
            type: 'composite',
            code: 'composite.child_incomplete',
            params: { cause: 'plan' },
            status: 'incomplete',
            children: [
              {
                checker: 'plan',
                type: 'plan',
                code: 'plan.open_steps',
                params: { total: 1, open: 1, steps: [{ title: 'step 0', status: 'open' }] },
                status: 'incomplete',
                children: null,
              },
              {
                checker: 'more',
                type: 'files_exist',
                code: 'outlook.files',
                params: { files: ['a', 'b'] },
                status: 'unknown',
                children: null,
              },
            ],
          },
        ],
      },
      remaining: { steps: [], attainable: true, isSmallest: true, isVerified: true },
    })
  })

  it('the outlook of a stop is known when one of several alternatives already passes', () => {
    expect(computeOutlook(any('x', NOTES, PLAN), ['done']).verdict).toBe('allowed')
    expect(computeOutlook(any('x', NOTES, PLAN), ['open']).verdict).toBe('unknown')
  })

  it('the outlook of a stop never counts a file outside the workspace as existing', () => {
    const outside: CheckerDocument = { id: 'o', type: 'files_exist', files: ['../a', 'b'] }
    const { verdict, remaining } = computeOutlook(outside)
    expect(verdict).toBe('blocked')
    expect(remaining.steps.map(({ obstacle }) => obstacle)).toEqual([
      '`../a` lies outside the workspace.',
    ])
  })

  it('the outlook of a stop is "no checker" for a config without a checker', () => {
    const config = compiled({ schema_version: 1, ns: 'a', key: 'b' })
    const state = initialState(config.promptName)
    const moment = { at: AT, harnessMaxBlocks: null }
    expect(stopOutlook(config, state, moment)).toMatchObject({
      verdict: 'no_checker',
      checks: null,
    })
  })
})

it('a known outlook of a stop equals its verdict, for every result of the look-ups', () => {
  const found = fc.record({
    exists: fc.constantFrom(true, false, 'unknown' as const),
    complete: fc.boolean(),
    cap: fc.constantFrom(null, 0, 2),
  })
  fc.assert(
    fc.property(extendedConfigDocument, eventLog, found, (document, events, facts) => {
      const config = compiled(document)
      let state = initialState(config.promptName)
      for (const event of events) state = step(config, state, event).state
      const { cap } = facts
      const said = stopOutlook(config, state, { at: state.at, harnessMaxBlocks: cap })
      const attempt = attemptWith(config.document, facts, { seq: state.seq + 1, at: state.at })
      const [effect] = step(config, state, attempt).effects
      if (effect?.kind !== 'stop.decided') throw new Error('A stop is decided.')
      if (said.verdict !== 'unknown') {
        const known = said.verdict === 'error' ? ['error', 'blocked'] : [said.verdict]
        expect(known).toContain(effect.data.verdict)
      }
    }),
  )
})

interface Found {
  readonly exists: boolean | 'unknown'
  readonly complete: boolean
  readonly cap: number | null
}

function attemptWith(
  { task_completion_checker: root }: ConfigDocument,
  { exists, complete, cap }: Found,
  place: { readonly seq: number; readonly at: number },
): EventOf<'stop.attempted'> {
  const leaves: CheckerDocument[] = []
  const visit = (checker: CheckerDocument): void => {
    if ('checkers' in checker) checker.checkers.forEach(visit)
    else leaves.push(checker)
  }
  if (root !== undefined) visit(root)
  const files = leaves.flatMap((leaf) => ('files' in leaf ? leaf.files : []))
  return {
    session: 's',
    type: 'stop.attempted',
    ...place,
    data: {
      via: 'turn_end',
      ...(cap === null ? {} : { harness_max_blocks: cap }),
      facts: {
        files: Object.fromEntries(files.map((path) => [path, { exists }])),
        answers: Object.fromEntries(leaves.map(({ id }) => [id, { kind: 'check', complete }])),
      },
    },
  }
}
