import type { SessionEvent } from '@signalbox/core'
import { toDecisionId } from '@signalbox/wire'
import { beforeAll, expect, test } from 'vitest'
import { api } from '@/server/http/api.ts'
import { database } from '@/server/platform/db/client.ts'
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
import { forgetLiveState } from './live-states.ts'

withTestDatabase()

const ORDER = {
  id: 'reviewed',
  type: 'sequential_dependency',
  dependencies: { deploy: ['run_tests'] },
}

let key: string
let began: Release
let stricter: Release
let looser: Release
let caller: Awaited<ReturnType<typeof createProjectCaller>>

beforeAll(async () => {
  const project = await installed()
  caller = await createProjectCaller(project, 'viewer')
  key = await makeKey(project)
  began = await firstRelease()
  const { policies = [] } = JSON.parse(began.text)
  stricter = await nextRelease({ policies: [...policies, ORDER] })
  looser = await nextRelease({ policies: [], task_completion_checker: undefined, sections: [] })
})

const AT = 1_795_000_000_000

const opening: Draft = {
  type: 'session.started',
  data: { ns: 'demo', key: 'release-notes', environment: 'dev', harness: { name: 'test' } },
}

const applied = ({ digest }: Release): Draft => ({ type: 'config.applied', data: { digest } })

function deploys(prefix: string, count: number): readonly Draft[] {
  return Array.from({ length: count }, (_, i): readonly Draft[] => [
    { type: 'tool.requested', data: { call_id: `${prefix}${i}`, tool: 'deploy', args: {} } },
    { type: 'tool.invoked', data: { call_id: `${prefix}${i}`, tool: 'deploy', outcome: 'denied' } },
  ]).flat()
}

async function send(events: readonly SessionEvent[]) {
  const response = await api.fetch(eventsRequest(key, ndjson(events)))
  expect(response.status).toBe(200)
}

function findSessionRow(id: string) {
  return database().prisma.session.findUniqueOrThrow({ where: { id } })
}

function tightened(session: string, calls = 2) {
  const drafts = [opening, applied(began), ...deploys('a', calls)]
  const after = [applied(stricter), ...deploys('b', calls)]
  return recordedSession({ session, at: AT, release: began, taken: [stricter] }, [
    ...drafts,
    ...after,
  ])
}

test('a session that switched to a stricter version stays verified, in one batch, event by event and from a snapshot', async () => {
  const whole = newSessionId()
  await send(tightened(whole))
  expect(await findSessionRow(whole)).toMatchObject({ verification: 'verified', breachCount: 0 })

  const piecewise = newSessionId()
  for (const event of tightened(piecewise)) {
    await send([event])
    forgetLiveState(piecewise)
  }
  expect(await findSessionRow(piecewise)).toMatchObject({
    verification: 'verified',
    breachCount: 0,
  })

  const long = newSessionId()
  const events = tightened(long, 300)
  for (let from = 0; from < events.length; from += 250) {
    forgetLiveState(long)
    await send(events.slice(from, from + 250))
  }
  expect(await findSessionRow(long)).toMatchObject({
    verification: 'verified',
    contiguousSeq: events.length,
  })
})

test('decisions by the previous version that were recorded after the switch diverge', async () => {
  const session = newSessionId()
  const events = tightened(session)
  const at = events.findIndex(
    ({ type, data }) => type === 'config.applied' && JSON.stringify(data).includes(stricter.digest),
  )
  const forged = recordedSession({ session, at: AT, release: began }, [
    opening,
    applied(began),
    ...deploys('a', 2),
    applied(stricter),
    ...deploys('b', 2),
  ])
  await send(forged)
  const row = await findSessionRow(session)
  expect(row.verification).toBe('diverged')
  expect(row.divergedSeq).toBeGreaterThan(at + 1)
})

test('a switch to a looser version in a log is a breach at its event', async () => {
  const session = newSessionId()
  const drafts = [opening, applied(began), ...deploys('a', 1), applied(looser), ...deploys('b', 1)]
  const events = recordedSession({ session, at: AT, release: began, taken: [looser] }, drafts)
  await send(events)
  forgetLiveState(session)
  await send(events)
  const row = await findSessionRow(session)
  const seq = events.findLast(({ type }) => type === 'config.applied')?.seq
  expect(row).toMatchObject({ verification: 'verified', enforcement: 'breach', breachCount: 1 })
  expect(row.breaches).toMatchObject([{ seq, code: 'loosened' }])
})

test('a session whose new version is unknown to the server is not reported as verified', async () => {
  const session = newSessionId()
  const digest = `sha256:${'7'.repeat(64)}`
  const unknown: Draft = { type: 'config.applied', data: { digest } }
  await send(
    recordedSession({ session, at: AT, release: began }, [opening, ...deploys('a', 1), unknown]),
  )
  expect(await findSessionRow(session)).toMatchObject({
    verification: 'pending',
    divergedSeq: null,
  })
})

test('a decision is explained under the version that made it', async () => {
  const session = newSessionId()
  const events = tightened(session)
  await send(events)
  const decided = events.filter(({ type }) => type === 'tool.decided')
  const audited = async (seq: number) => {
    const { rules, config } = await caller.decisions.explanation({
      decisionId: toDecisionId(session, seq),
    })
    return { rules: rules.map(({ rule }) => rule), digest: config?.digest }
  }
  const [first, last] = [decided[0]?.seq ?? 0, decided.at(-1)?.seq ?? 0]
  expect((await audited(first)).rules).not.toContain('reviewed')
  expect((await audited(last)).rules).toContain('reviewed')
  expect((await audited(first)).digest).toBe(began.digest)
  expect((await audited(last)).digest).toBe(stricter.digest)
})
