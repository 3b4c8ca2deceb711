// endpoint-matrix.db.test.ts proves who may read which row, scripts/entry-points.boot.test.ts that answers have the documented form.
import { beforeAll, describe, expect, test } from 'vitest'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import {
  chained,
  eventsRequest,
  installed,
  makeKey,
  ndjson,
  newSessionId,
  started,
  type TestProject,
} from '@/server/test/installation.ts'
import { api } from './api.ts'

withTestDatabase()

let project: TestProject
let reader: string
const sessions: string[] = []
const FIRST = 1_795_000_000_000
const MINUTE = 60_000

async function record(environment: string, at: number) {
  const session = newSessionId()
  const [first, ...rest] = chained(
    session,
    [
      started({ ns: 'team', key: 'agent' }),
      { type: 'note', data: { text: 'one' } },
      { type: 'note', data: { text: 'two' } },
    ],
    { at },
  )
  if (first?.type !== 'session.started') throw new Error('The log begins with another event.')
  const key = await makeKey(project, { environment })
  const events = [{ ...first, data: { ...first.data, environment } }, ...rest]
  const response = await api.fetch(eventsRequest(key, ndjson(events)))
  expect(response.status).toBe(200)
  return session
}

beforeAll(async () => {
  project = await installed()
  reader = await makeKey(project, { scopes: ['sessions:read', 'audit:read'] })
  for (let at = 0; at < 5; at++) sessions.push(await record('dev', FIRST + at * MINUTE))
})

async function ask(path: string, key = reader) {
  const headers = { authorization: `Bearer ${key}` }
  const response = await api.fetch(
    new Request(`http://127.0.0.1:3000/api/manage/v1${path}`, { headers }),
  )
  return { status: response.status, json: await response.json() }
}

const ids = (rows: readonly { session: string }[]) => rows.map(({ session }) => session)

describe('lists of the management API', () => {
  test('pages of two by `after` return every session once, in the requested order', async () => {
    const found: string[] = []
    let next: string | null = ''
    let pages = 0
    while (next !== null) {
      const after: string = next === '' ? '' : `&after=${encodeURIComponent(next)}`
      const { json } = await ask(`/sessions?order=oldest&limit=2&since=${FIRST}${after}`)
      found.push(...ids(json.rows))
      next = json.next
      pages += 1
    }
    expect([found, pages]).toEqual([sessions, 3])
  })

  test('`since` includes its time and `until` does not, as a number or as ISO 8601', async () => {
    const since = new Date(FIRST + MINUTE).toISOString()
    const { json } = await ask(`/sessions?order=oldest&since=${since}&until=${FIRST + 3 * MINUTE}`)
    expect(ids(json.rows)).toEqual(sessions.slice(1, 3))
  })

  test('a row has the columns of the list under their export names', async () => {
    const { json } = await ask(`/sessions/${sessions[0]}`)
    expect(json).toMatchObject({
      session: sessions[0],
      environment: 'dev',
      prompt: 'team/agent',
      started_at: FIRST,
      harness: { name: 'test' },
    })
    expect(json).not.toHaveProperty('configDigest')
  })

  test('the filter text and the parameters of the list narrow it further', async () => {
    const [one = ''] = sessions
    expect(ids((await ask(`/sessions?filter=session:${one}`)).json.rows)).toEqual([one])
    expect((await ask('/sessions?prompt=team/other')).json.rows).toEqual([])
    expect((await ask('/sessions?prompt=team/agent&limit=200')).json.rows.length).toBe(5)
  })

  test('a key reads the sessions of its environment only', async () => {
    const elsewhere = await record('staging', FIRST)
    expect((await ask(`/sessions/${elsewhere}`)).status).toBe(404)
    expect((await ask(`/sessions/${elsewhere}/events`)).status).toBe(404)
    expect((await ask('/sessions?filter=env:staging')).json.rows).toEqual([])
    expect((await ask('/sessions?environment=staging')).status).toBe(422)
    const other = await makeKey(project, { environment: 'staging', scopes: ['sessions:read'] })
    expect(ids((await ask('/sessions', other)).json.rows)).toEqual([elsewhere])
  })

  test.each([
    ['/sessions?limit=0', 'limit'],
    ['/sessions?since=noon', 'since'],
    ['/sessions?until=99999999999999999', 'until'],
    ['/sessions?prompt=agent', 'prompt'],
    ['/sessions?status=asleep', 'status'],
    ['/sessions?filter=nothing:x', 'filter'],
    ['/sessions?order=random', 'order'],
    ['/stops?version=zero', 'version'],
    ['/approvals?state=some', 'state'],
    ['/approvals?state=settled&after=x', 'after'],
    ['/approvals?after=x', 'after'],
    ...['sessions', 'stops', 'decisions', 'feedback', 'alerts', 'audit-log'].map(
      (many): [string, string] => [`/${many}?after=zzz`, 'after'],
    ),
  ])('%s is refused with the name of the field', async (path, field) => {
    const { status, json } = await ask(path)
    expect([status, json.errors?.[0]?.pointer]).toEqual([422, `/${field}`])
  })

  test('the audit log has each entry with its place in the hash chain', async () => {
    const { json } = await ask('/audit-log?limit=1&order=oldest')
    expect(json.rows[0]).toMatchObject({ id: expect.any(String), action: expect.any(String) })
    const { json: entry } = await ask(`/audit-log/${json.rows[0].id}`)
    expect(entry).toEqual(json.rows[0])
    expect(Object.keys(entry)).toEqual(expect.arrayContaining(['position', 'hash', 'before']))
  })

  test('the events of a session are those that the runtime sent, page by page', async () => {
    const [session = ''] = sessions
    const { json: page } = await ask(`/sessions/${session}/events?limit=2`)
    const { json: rest } = await ask(`/sessions/${session}/events?limit=2&after=${page.next}`)
    expect(page.next).toBe('2')
    expect(rest.next).toBeNull()
    const all = [...page.rows, ...rest.rows]
    expect(all.map(({ seq }) => seq)).toEqual([1, 2, 3])
    expect(all.map(({ prev }) => typeof prev)).toEqual(['undefined', 'string', 'string'])
  })
})
