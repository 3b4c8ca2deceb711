import type { SessionEvent } from '@signalbox/core'
import { stopOutlook, viewState } from '@signalbox/core/analysis'
import { celExpressions } from '@signalbox/core/expression'
import { createGuardrails } from '@signalbox/runtime'
import { fakeClock, STORY_CONFIG, Story } from '@signalbox/testkit'
import { beforeAll, expect, test } from 'vitest'
import { api } from '@/server/http/api.ts'
import { forgetLiveState } from '@/server/ingest/live-states.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import {
  createProjectCaller,
  type Draft,
  eventsRequest,
  installed,
  makeKey,
  ndjson,
  newSessionId,
} from '@/server/test/installation.ts'
import {
  firstRelease,
  nextRelease,
  type Release,
  recordedSession,
} from '@/server/test/recorded-session.ts'
import { hashState } from './compare-state.ts'
import { Timeline } from './timeline.ts'

withTestDatabase()

const AT = 1_795_000_000_000

let key: string
let began: Release
let stricter: Release
let story: Release
let caller: Awaited<ReturnType<typeof createProjectCaller>>

beforeAll(async () => {
  const project = await installed()
  caller = await createProjectCaller(project, 'viewer')
  key = await makeKey(project)
  began = await firstRelease()
  const { policies = [] } = JSON.parse(began.text)
  const order = { deploy: ['run_tests'] }
  const reviewed = { id: 'reviewed', type: 'sequential_dependency', dependencies: order }
  stricter = await nextRelease({ policies: [...policies, reviewed] })
  story = await nextRelease({ sections: undefined, ...STORY_CONFIG })
})

function createTimeline(sessionId: string): Timeline {
  return new Timeline(sessionId, {
    fold: (seq, events) => caller.sessions.fold({ sessionId, seq, ...events }),
    events: (afterSeq, events) => caller.sessions.foldEvents({ sessionId, afterSeq, ...events }),
    config: (digest) => caller.sessions.foldConfig({ sessionId, digest }),
  })
}

/** Each request is handled like by a new process, so that each leaves a stored state. */
async function send(session: string, lines: string): Promise<void> {
  const all = lines.trimEnd().split('\n')
  for (let from = 0; from < all.length; from += 700) {
    forgetLiveState(session)
    const text = `${all.slice(from, from + 700).join('\n')}\n`
    expect((await api.fetch(eventsRequest(key, text))).status).toBe(200)
  }
}

async function expectSame(session: string, timeline: Timeline, seq: number): Promise<void> {
  const { state } = await timeline.load(seq)
  const own = await hashState(state)
  expect(await caller.sessions.stateDigest({ sessionId: session, seq })).toEqual({
    seq,
    digest: own,
  })
}

function positions(count: number, end: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => 1 + ((i * 7_919) % end))
}

test('browser and server compute the same state at every position of a session', async () => {
  const clock = fakeClock(AT)
  const lines: string[] = []
  const guardrails = createGuardrails({
    config: JSON.parse(story.text),
    expressions: celExpressions(),
    now: clock.now,
    onEvent: (line) => lines.push(line),
  })
  const told = new Story({ seed: 7, clock })
  const session = guardrails.openSession({ files: told.files, workspaceRoot: '/shop' })
  await told.tell(session, 3_300)
  await guardrails.close()
  await send(session.id, `${lines.join('\n')}\n`)
  const timeline = createTimeline(session.id)
  const end = lines.length
  for (const seq of [end, 1, 999, 1_000, 1_001, ...positions(30, end)]) {
    await expectSame(session.id, timeline, seq)
  }
  const first = await timeline.nextChange(1_500, 1, end)
  const back = first === null ? null : await timeline.nextChange(first + 1, -1, 1)
  expect(back).toBe(first)
})

const opening: Draft = {
  type: 'session.started',
  data: { ns: 'demo', key: 'release-notes', environment: 'dev', harness: { name: 'test' } },
}

const stopped: Draft = { type: 'stop.attempted', data: { via: 'turn_end' } }

const applied = ({ digest }: Release): Draft => ({ type: 'config.applied', data: { digest } })

function deploys(prefix: string, count: number): readonly Draft[] {
  return Array.from({ length: count }, (_, i): readonly Draft[] => [
    { type: 'tool.requested', data: { call_id: `${prefix}${i}`, tool: 'deploy', args: {} } },
    { type: 'tool.invoked', data: { call_id: `${prefix}${i}`, tool: 'deploy', outcome: 'denied' } },
  ]).flat()
}

function tightened(session: string): readonly SessionEvent[] {
  return recordedSession({ session, at: AT, release: began, taken: [stricter] }, [
    ...[opening, applied(began), ...deploys('a', 400)],
    ...[applied(stricter), ...deploys('b', 400)],
  ])
}

test('the state of a session that switched versions uses the version in force at that position', async () => {
  const session = newSessionId()
  const events = tightened(session)
  await send(session, ndjson(events))
  const taken = events.findLast(({ type }) => type === 'config.applied')?.seq ?? 0
  const timeline = createTimeline(session)
  for (const seq of [events.length, taken, taken - 1, ...positions(12, events.length)]) {
    await expectSame(session, timeline, seq)
  }
  const neededAt = async (seq: number) => {
    const { config, state } = await timeline.load(seq)
    return viewState(config, state).stillNeeded
  }
  const review = { tool: 'deploy', missing: ['run_tests'] }
  expect(await neededAt(taken - 1)).not.toContainEqual(review)
  expect(await neededAt(taken)).toContainEqual(review)
  expect(await timeline.nextChange(taken + 1, -1, 1)).toBe(taken)
})

const CONDITIONS = [
  ['an expression', { id: 'big', type: 'expression', deny_when: 'calls.deploy.denied > 3' }],
  [
    'the `when` of an approval',
    {
      id: 'ask',
      type: 'approval',
      tools: ['deploy'],
      when: 'calls.deploy.denied > 3',
      timeout_seconds: 60,
    },
  ],
] as const

test.each(CONDITIONS)(
  'the state of a session that took a version with %s equals that of the server',
  async (_, policy) => {
    const conditional = await nextRelease({
      policies: [policy],
      content: [
        { id: 'key', kind: 'pattern', on: 'arguments', matches: 'sk-[a-z]+', action: 'warn' },
      ],
    })
    const session = newSessionId()
    const recording = { session, at: AT, release: began, taken: [conditional] }
    const drafts = [opening, applied(began), ...deploys('a', 20), applied(conditional)]
    const events = recordedSession(recording, [...drafts, ...deploys('b', 300)])
    await send(session, ndjson(events))
    const timeline = createTimeline(session)
    for (const seq of [5, 80, 90, ...positions(8, events.length)]) {
      await expectSame(session, timeline, seq)
    }
    expect((await timeline.load(events.length)).digest).toBe(conditional.digest)
  },
)

test('a condition of the checker has its value at each position', async () => {
  const checked = await nextRelease({
    policies: [],
    task_completion_checker: {
      id: 'many',
      type: 'expression',
      require: 'calls.deploy.denied > 3',
    },
  })
  const session = newSessionId()
  const recording = { session, at: AT, release: checked }
  const drafts = [opening, ...deploys('a', 6), stopped, ...deploys('b', 300)]
  const events = recordedSession(recording, drafts)
  await send(session, ndjson(events))
  const timeline = createTimeline(session)
  const verdictAt = async (seq: number) => {
    const { config, state } = await timeline.load(seq)
    return stopOutlook(config, state, { at: state.at, harnessMaxBlocks: null }).verdict
  }
  const verdicts = await Promise.all([2, 7, events.length, 500, 501].map(verdictAt))
  expect(verdicts).toEqual(['blocked', 'blocked', 'allowed', 'allowed', 'allowed'])
  await expectSame(session, timeline, events.length)
  const turn = events.filter(({ type }) => type === 'tool.invoked')[3]?.seq ?? 0
  expect([await verdictAt(turn - 1), await verdictAt(turn)]).toEqual(['blocked', 'allowed'])
})

test('the state of a session stops where events are missing, and continues when they arrive', async () => {
  const session = newSessionId()
  const events = tightened(session)
  const [before, gap, behind] = [events.slice(0, 20), events.slice(20, 25), events.slice(25, 60)]
  await send(session, ndjson([...before, ...behind]))
  const timeline = createTimeline(session)
  expect((await timeline.load(50)).state.seq).toBe(20)
  await send(session, ndjson(gap))
  expect((await timeline.load(50)).state.seq).toBe(50)
  await expectSame(session, timeline, 50)
})

test('the state of a session whose config is not stored has no rules, and equals that of the server', async () => {
  const session = newSessionId()
  await send(session, ndjson(recordedSession({ session, at: AT }, [opening, ...deploys('a', 3)])))
  const timeline = createTimeline(session)
  const { digest, state } = await timeline.load(5)
  expect([digest, state.seq]).toEqual([null, 5])
  await expectSame(session, timeline, 5)
})
