import { gzipSync } from 'node:zlib'
import { verifyText } from '@signalbox/wire'
import { describe, expect, test } from 'vitest'
import { publishBundle } from '@/server/bundles/bundles.ts'
import { bundlePublicKey } from '@/server/bundles/signing-seed.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import {
  chained,
  makeKey,
  ndjson,
  newSessionId,
  started,
  type TestProject,
} from './installation.ts'

export interface ContractPlace {
  readonly url: string
  readonly project: TestProject
}

const DEMO = { ns: 'demo', key: 'release-notes' }

export const createRegistration = (name: string) => ({
  name,
  sdk_version: '0.1.0',
  harness: { name: 'contract' },
  prompts: ['demo/release-notes'],
  capabilities: { policies: [], feedback_providers: [], checkers: [] },
  posture: 'deny',
  now: Date.now(),
})

export const createHeartbeat = (id: string) => ({
  runtime_id: id,
  now: Date.now(),
  applied: null,
  rejected: null,
  live_sessions: 0,
  spooled_events: 0,
})

interface Asked {
  readonly key?: string
  readonly json?: object
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
}

export function askPlane(url: string, path: string, asked: Asked = {}): Promise<Response> {
  const body = asked.json === undefined ? asked.body : JSON.stringify(asked.json)
  return fetch(`${url}/api/runtime/v1/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...asked.headers,
      ...(asked.key === undefined ? {} : { authorization: `Bearer ${asked.key}` }),
    },
    ...(body === undefined ? {} : { body }),
  })
}

export function sessionLines(): { readonly session: string; readonly lines: string } {
  const session = newSessionId()
  const note = { type: 'note', data: { text: 'hello' } } as const
  return { session, lines: ndjson(chained(session, [started(DEMO), note, note])) }
}

export function describeDataPlane(name: string, place: () => ContractPlace): void {
  const ask = (path: string, asked?: Asked) => askPlane(place().url, path, asked)
  const keyWith = (scopes: readonly ('ingest' | 'read')[]) => makeKey(place().project, { scopes })

  describe(`the data plane of ${name}`, () => {
    test('returns the signed bundle with its ETag, and does not send it again to a client that has it', async () => {
      const key = await keyWith(['read'])
      const answer = await ask('config', { key })
      const etag = answer.headers.get('etag') ?? ''
      const signature = answer.headers.get('signalbox-signature') ?? ''
      const publicKey = await bundlePublicKey(place().project.projectId)
      expect(verifyText(await answer.text(), signature, publicKey)).toBe(true)
      expect(Number(answer.headers.get('signalbox-revision'))).toBeGreaterThan(0)
      const again = await ask('config', { key, headers: { 'if-none-match': etag } })
      expect([again.status, await again.text()]).toEqual([304, ''])
    })

    test('refuses requests without a known key that has the scope', async () => {
      expect((await ask('config')).status).toBe(401)
      expect((await ask('config', { key: 'sbx_not_a_key' })).status).toBe(401)
      const unknown = `sbx_ffffffff_${'x'.repeat(43)}`
      expect((await ask('config', { key: unknown })).status).toBe(401)
      const readOnly = await keyWith(['read'])
      const refused = await ask('register', { key: readOnly, json: createRegistration('x') })
      expect(refused.status).toBe(403)
      expect(refused.headers.get('content-type')).toContain('application/problem+json')
      expect((await ask('config', { key: await keyWith(['ingest']) })).status).toBe(403)
    })

    test('registers a runtime and answers its heartbeat with the revision', async () => {
      const key = await keyWith(['ingest', 'read'])
      const told = await ask('register', { key, json: createRegistration('contract') })
      const { runtime_id: id } = (await told.json()) as { runtime_id: string }
      const revision = Number((await ask('config', { key })).headers.get('signalbox-revision'))
      const beat = await ask('heartbeat', { key, json: createHeartbeat(id) })
      expect(await beat.json()).toMatchObject({ desired_revision: revision })
      const unknown = await ask('heartbeat', { key, json: createHeartbeat('rt_UNKNOWN') })
      expect(unknown.status).toBe(404)
      const broken = { ...createHeartbeat(id), now: 'noon' }
      expect((await ask('heartbeat', { key, json: broken })).status).toBe(422)
    })

    test('streams the current revision immediately, and the next one when it is released', async () => {
      const key = await keyWith(['read'])
      const answer = await ask('config/stream', { key })
      const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      const until = async (revision: number): Promise<void> => {
        while (!text.includes(`id: ${revision}\n`)) text += (await reader?.read())?.value ?? ''
      }
      while (!/id: \d+\n/.test(text)) text += (await reader?.read())?.value ?? ''
      const { project } = place()
      const next = await inTransaction((tx) =>
        publishBundle(tx, {
          projectId: project.projectId,
          environmentId: project.environments['dev'] ?? '',
        }),
      )
      await until(next.revision)
      const served = await ask('config', { key })
      expect(Number(served.headers.get('signalbox-revision'))).toBe(next.revision)
      await reader?.cancel()
    })

    test('stores events once, reports invalid lines and stores valid ones', async () => {
      const key = await keyWith(['ingest'])
      const { session, lines } = sessionLines()
      const headers = { 'content-encoding': 'gzip', 'content-type': 'application/x-ndjson' }
      const body = new Uint8Array(gzipSync(`${lines}not json\n`))
      const answer = await ask('events', { key, body, headers })
      expect(await answer.json()).toMatchObject({
        stored: 3,
        errors: [{ line: 4, code: 'syntax' }],
        acked_through: { [session]: 3 },
      })
      const again = await ask('events', { key, body: lines })
      expect(await again.json()).toMatchObject({ stored: 0, duplicates: 3 })
    })

    test('refuses a body that is not gzip, and an unknown encoding', async () => {
      const key = await keyWith(['ingest'])
      const sent = (encoding: string) =>
        ask('events', { key, body: 'x', headers: { 'content-encoding': encoding } })
      expect((await sent('gzip')).status).toBe(400)
      expect((await sent('br')).status).toBe(415)
    })
  })
}
