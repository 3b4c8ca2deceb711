import { compileConfig, initialState, type SessionEvent, step } from '@signalbox/core'
import { viewState } from '@signalbox/core/analysis'
import { expect, test } from 'vitest'
import { markedLines, type StateSection, stateSections } from './state-lines.ts'

const compiled = compileConfig({
  schema_version: 1,
  ns: 'a',
  key: 'b',
  policies: [
    { id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['test', 'build'] } },
    { id: 'rate', type: 'rate_limit', tools: ['test'], max_calls: 1, per_seconds: 60 },
  ],
})
if (!compiled.ok) throw new Error('The config compiles.')
const { config } = compiled

const plan = (...statuses: readonly string[]): Pick<SessionEvent, 'type' | 'data'> => ({
  type: 'plan.updated',
  data: { steps: statuses.map((status, i) => ({ title: `Step ${i}`, status })) },
})

const BODIES: readonly Pick<SessionEvent, 'type' | 'data'>[] = [
  plan('done', 'pending', 'pending'),
  { type: 'tool.requested', data: { call_id: 'c', tool: 'test', args: {} } },
  { type: 'tool.invoked', data: { call_id: 'c', tool: 'test', outcome: 'success' } },
  plan('done', 'done'),
]

interface Recorded {
  readonly bodies?: readonly Pick<SessionEvent, 'type' | 'data'>[]
  readonly finals?: readonly number[]
  /** Time that remaining times are counted from. Absent: that of the event. */
  readonly at?: number
}

function sectionsAt(
  seq: number,
  { bodies = BODIES, finals = [], at }: Recorded = {},
): readonly StateSection[] {
  let state = initialState(config.promptName)
  for (const [i, body] of bodies.slice(0, seq).entries()) {
    // The bodies have the type and data of one event each.
    const event = { session: 's', seq: i + 1, at: i * 1_000, ...body } as SessionEvent
    state = step(config, state, event).state
  }
  const view = viewState(config, state)
  const now = at ?? view.at
  return stateSections({
    view: { ...view, at: now },
    digest: 'sha256:1',
    finals,
    versionName: () => 'v1',
  })
}

function findSectionLines(title: string, shown: number, other: number) {
  const [here, there] = [shown, other].map((seq) =>
    sectionsAt(seq).find((section) => section.title === title),
  )
  if (here === undefined || there === undefined) throw new Error(`There is no section ${title}.`)
  return markedLines(here, there).map(({ text, value, mark, was }) => [text, value, mark, was])
}

test('the lines of a rule state its requirements, its progress, and the earlier progress', () => {
  expect(findSectionLines('Policy state', 3, 1)).toEqual([
    ['Version in force', 'v1', null, null],
    [
      '`deploy` needs `test`, `build`',
      'test done, build missing',
      'was',
      'test missing, build missing',
    ],
    ['`test`: at most 1 in 1 minute', '1 used, next in 59 s', 'was', '0 used'],
  ])
})

test('the lines of a plan mark changed steps, and list removed ones last', () => {
  expect(findSectionLines('Plan', 4, 3)).toEqual([
    ['Step 0', 'done', null, null],
    ['Step 1', 'done', 'was', 'to do'],
    ['Step 2', 'to do', '−', null],
  ])
})

test('the lines of succeeded tools mark the first success as new', () => {
  expect(findSectionLines('Tools succeeded', 3, 2)).toEqual([
    ['`test`', 'last success #3', '+', null],
  ])
  expect(findSectionLines('Tools succeeded', 4, 3)).toEqual([
    ['`test`', 'last success #3', null, null],
  ])
})

test('the stops of a state are those of the agent, and the final verifications are counted apart', () => {
  const bodies = (['turn_end', 'final', 'turn_end', 'final'] as const).map((via) => ({
    type: 'stop.attempted' as const,
    data: { via },
  }))
  const stopsAt = (seq: number, finals: readonly number[]) =>
    sectionsAt(seq, { bodies, finals })
      .flatMap(({ lines }) => lines)
      .find(({ key }) => key === 'stops')?.value
  expect(stopsAt(0, [])).toBe('0 stops, 0 blocked')
  expect(stopsAt(1, [2, 4])).toBe('1 stop, 0 blocked')
  expect(stopsAt(2, [2, 4])).toBe('1 stop and the final verification, 0 blocked')
  expect(stopsAt(4, [2, 4])).toBe('2 stops and 2 final verifications, 0 blocked')
  expect(stopsAt(1, [1])).toBe('the final verification, 0 blocked')
})

test('a rate limit is free again once its time has passed, without a new event', () => {
  const rateAt = (at: number) =>
    sectionsAt(3, { at })
      .find(({ title }) => title === 'Policy state')
      ?.lines.filter(({ key }) => key === 'rate rate')
      .map(({ value, standing }) => [value, standing])
  expect(rateAt(2_000)).toEqual([['1 used, next in 59 s', 'open']])
  expect(rateAt(61_000)).toEqual([['free again', 'done']])
})

test('tokens that no model call reported are not shown as 0', () => {
  const lines = sectionsAt(1).find(({ title }) => title === 'Deadline and budget')?.lines
  expect(lines?.find(({ text }) => text === 'Tokens')?.value).toBe('none reported')
})
