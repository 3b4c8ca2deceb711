import { openPortableBundle } from '@signalbox/cli/portable'
import { derivePublicKey } from '@signalbox/wire'
import { beforeAll, describe, expect, test } from 'vitest'
import { api } from '@/server/http/api.ts'
import { env } from '@/server/platform/base/env.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import {
  type Draft,
  installed,
  makeKey,
  makePerson,
  signedIn,
  type TestProject,
} from '@/server/test/installation.ts'
import { firstRelease, nextRelease, type Recording } from '@/server/test/recorded-session.ts'
import { AT, NOTES, NOTES_EXIST, plan, storeSession } from '@/server/test/stored-session.ts'

withTestDatabase()

let project: TestProject
let key: string
let headers: Headers

beforeAll(async () => {
  project = await installed()
  key = await makeKey(project)
  headers = await signedIn(await makePerson(project, 'viewer'))
})

const drafts: readonly Draft[] = [
  {
    type: 'session.started',
    data: { ns: 'demo', key: 'release-notes', environment: 'dev', harness: { name: 'test' } },
  },
  plan('done', 'pending'),
  {
    type: 'tool.requested',
    data: {
      call_id: 'c1',
      tool: 'write_file',
      args: { path: NOTES, content: { $redacted: 'secrets' } },
      facts: NOTES_EXIST,
    },
  },
  { type: 'stop.attempted', data: { via: 'turn_end', facts: NOTES_EXIST } },
]

async function store(recording: Partial<Recording> = {}, told: readonly Draft[] = drafts) {
  const stored = await storeSession(key, told, { release: await firstRelease(), ...recording })
  const { session, stops, calls } = stored
  return { session, stop: stops[0] ?? '', call: calls[0] ?? '' }
}

async function opened(id: string) {
  const kind = id.startsWith('stop_') ? 'stops' : 'decisions'
  const url = `${env().SIGNALBOX_URL}/api/export/${kind}/${id}?format=bundle`
  const response = await api.fetch(new Request(url, { headers }))
  expect(response.status).toBe(200)
  expect(response.headers.get('content-disposition')).toContain(`${id}.signalbox`)
  const known = derivePublicKey(env().SIGNALBOX_SIGNING_KEY)
  return openPortableBundle(new Uint8Array(await response.arrayBuffer()), known)
}

describe('a portable bundle from the server', () => {
  test('opens without the server, with the result of the console and the signature of the project', async () => {
    const { stop, session } = await store()
    expect(await opened(stop)).toMatchObject({
      status: 'verified',
      signer: { isKnown: true },
      head: { id: stop, session, redacted: 1, missing: [], configs: [{ version: 1 }] },
      reading: {
        from: 'computed',
        verdict: 'blocked',
        sentence: '1 of 2 plan steps is not done',
        steps: [{ text: 'Finish or remove “Step 2”' }],
      },
    })
  })

  test('a portable bundle from the server of a call contains the steps that would allow it, and no later events', async () => {
    const { call } = await store()
    const found = await opened(call)
    expect(found).toMatchObject({
      status: 'verified',
      head: { kind: 'decision' },
      reading: { verdict: 'denied', rules: [{ result: 'deny' }] },
    })
    if (found.status !== 'verified') throw new Error(found.status)
    expect(found.events.at(-1)?.type).toBe('tool.decided')
    expect(found.reading.steps).toEqual(found.head.reading.steps)
    expect(found.reading.steps.length).toBeGreaterThan(0)
  })

  test('a portable bundle from the server of a session that switched to another version contains both versions', async () => {
    const stricter = await nextRelease({ limits: { max_stop_blocks: 99 } })
    const taking: Draft = {
      type: 'config.applied',
      data: { digest: stricter.digest },
    }
    const [first, ...rest] = drafts
    if (first === undefined) throw new Error('There are no drafts.')
    const { stop } = await store({ taken: [stricter] }, [first, taking, ...rest])
    const found = await opened(stop)
    expect(found).toMatchObject({
      status: 'verified',
      head: { configs: [{}, { digest: stricter.digest }] },
    })
  })
})

describe('a portable bundle with missing data', () => {
  test('keeps the verdict and recomputes nothing when retention removed events', async () => {
    const { stop, session } = await store()
    await database().prisma.session.update({
      where: { id: session },
      data: { eventsRemovedAt: new Date(AT), eventsRemovedDays: 30 },
    })
    expect(await opened(stop)).toMatchObject({
      status: 'not_replayable',
      why: [expect.stringMatching(/older than 30 days were removed/)],
      events: [],
      reading: { from: 'told', verdict: 'blocked', sentence: '1 of 2 plan steps is not done' },
    })
  })

  test('names a config version that is not stored in the project', async () => {
    const text = JSON.stringify({ schema_version: 1, ns: 'demo', key: 'release-notes' })
    const digest = `sha256:${'0'.repeat(64)}`
    const unknown = await store({ release: { digest, text } })
    expect(await opened(unknown.stop)).toMatchObject({
      status: 'not_replayable',
      why: [`The config version ${digest} is not stored in this project.`],
    })
  })

  test('states that the session ran without a config', async () => {
    const { stops } = await storeSession(key, drafts)
    expect(await opened(stops[0] ?? '')).toMatchObject({
      status: 'not_replayable',
      why: ['The session ran without a config of this project, so there is nothing to decide by.'],
      head: { configs: [] },
    })
  })
})
