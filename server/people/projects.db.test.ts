import { beforeAll, describe, expect, test } from 'vitest'
import { api } from '@/server/http/api.ts'
import { PROJECT_HEADER, readRequestedProject } from '@/server/platform/auth/asked-project.ts'
import { insertMembership } from '@/server/platform/auth/members.sql.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { inBothTransactions } from '@/server/platform/db/transaction.ts'
import { createContext } from '@/server/platform/trpc/context.ts'
import { callTrpc } from '@/server/test/callers.ts'
import { otherProject } from '@/server/test/installation.ts'
import { createAdmin, makeTenant, type Person, type Tenant } from '@/server/test/tenant.ts'
import { collectWords, fingerprintRows, tracesIn } from '@/server/test/traces.ts'
import { createCaller } from '@/server/trpc/root.ts'
import { finishRemovals } from './projects.ts'

withTestDatabase()

let kestrel: Tenant
let plover: Tenant
/** Admin of kestrel, viewer of plover. */
let both: Person

const readSlug = ({ project }: Tenant): string => project.slug

beforeAll(async () => {
  kestrel = await makeTenant(await otherProject(), 'kestrel')
  plover = await makeTenant(await otherProject(), 'plover')
  both = kestrel.people.admin
  const { projectId } = plover.project
  await inBothTransactions((tx) =>
    insertMembership(tx, { projectId, userId: both.userId, role: 'viewer', publishIn: null }),
  )
})

function asked(slug: string | null) {
  const headers = new Headers(both.headers)
  if (slug === null) headers.delete(PROJECT_HEADER)
  else headers.set(PROJECT_HEADER, slug)
  return createCaller(createContext(headers))
}

describe('a user of two projects', () => {
  test('a user of two projects has in each project only the role of that project', async () => {
    expect(await asked(readSlug(kestrel)).members.me()).toMatchObject({ role: 'admin' })
    expect(await asked(readSlug(plover)).members.me()).toMatchObject({ role: 'viewer' })
    const create = asked(readSlug(plover)).configs.create({ ns: 'a', key: 'b' })
    await expect(create).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  test('a user of two projects must choose a project when the request names none', async () => {
    await expect(asked(null).sessions.list({ filter: {} })).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
      message: expect.stringContaining('?project='),
    })
  })

  test('a user of two projects cannot reach one project by ids while in the other', async () => {
    const caller = asked(readSlug(plover))
    await expect(caller.sessions.head({ sessionId: kestrel.session })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    await expect(caller.stops.explanation({ stopId: kestrel.stopId })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    await expect(caller.configs.get(kestrel.prompt)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('sees nothing of one project in the lists of the other', async () => {
    const words = await collectWords(kestrel)
    const own = [both.userId, both.email]
    const caller = asked(readSlug(plover))
    const seen = JSON.stringify([
      await caller.sessions.list({ filter: {} }),
      await caller.configs.list({ filter: {} }),
      await caller.overview.attention({}),
      (await caller.releases.list({ filter: {} })).rows,
      await caller.runtimes.list({}),
      await caller.stops.list({ filter: {} }),
    ])
    const others = new Set([...words].filter((word) => !own.includes(word)))
    expect(tracesIn(seen, { words: others, sent: '' })).toEqual([])
  })

  test('finds the project of a linked id only among their own projects', async () => {
    const caller = asked(null)
    for (const id of [kestrel.session, kestrel.stopId, kestrel.decisionId, kestrel.releaseId]) {
      expect(await caller.projects.ofId({ id })).toBe(readSlug(kestrel))
    }
    expect(await caller.projects.ofId({ id: plover.runtimeId })).toBe(readSlug(plover))
    const stranger = await makeTenant(await otherProject(), 'heron')
    for (const id of [stranger.session, stranger.keyId, 'sess_none', 'x', 'stop_1_x']) {
      expect(await caller.projects.ofId({ id })).toBeNull()
    }
  })

  test('downloads a session of either project by its id', async () => {
    for (const { session } of [kestrel, plover]) {
      const url = `http://127.0.0.1:3000/api/export/sessions/${session}`
      const headers = new Headers(both.headers)
      headers.delete(PROJECT_HEADER)
      const request = new Request(url, { headers })
      expect((await api.fetch(request)).status).toBe(200)
    }
  })
})

test.each([
  ['does not exist', 'nothing-here'],
  ['belongs to other users', 'heron'],
])('a request for a project that %s is answered with the same 404', async (_, name) => {
  const heron = await otherProject()
  const slug = name === 'heron' ? heron.slug : name
  const headers = new Headers(both.headers)
  headers.set(PROJECT_HEADER, slug)
  const answer = await callTrpc(headers, {
    path: 'configs.list',
    type: 'query',
    input: { filter: {} },
  })
  expect(answer.status).toBe(404)
  expect(answer.text.replaceAll(slug, 'SLUG')).toContain('You have no project \\"SLUG\\".')
})

test.each([
  ['its own address', 'http://x.test/api?project=a-1', {}, 'a-1'],
  ['the header', 'http://x.test/api', { [PROJECT_HEADER]: 'b' }, 'b'],
  ['the page it comes from', 'http://x.test/s', { referer: 'http://x.test/p?project=c' }, 'c'],
  [
    'the page it comes from, behind a proxy',
    'http://in:1/s',
    { host: 'x.test', referer: 'https://x.test/?project=d' },
    'd',
  ],
  [
    'its own address before the page it comes from',
    'http://x.test/?project=e',
    { referer: 'http://x.test/?project=f' },
    'e',
  ],
  [
    'nowhere when it comes from a page of another site',
    'http://x.test/s',
    { referer: 'http://y.test/?project=g' },
    null,
  ],
  [
    'nowhere when the given name is no slug',
    'http://x.test/?project=A%00',
    { [PROJECT_HEADER]: '../x' },
    null,
  ],
])('the project of a request is taken from %s', (...[, url, headers, expected]) => {
  expect(readRequestedProject(new Request(url, { headers }))).toBe(expected)
})

describe('a new project', () => {
  test('a new project has three environments, its creator as admin, and nothing of the previous project', async () => {
    const { slug } = await asked(readSlug(kestrel)).projects.create({ name: 'Größer & Co' })
    expect(slug).toMatch(
      /^gro-er-co-[0-9a-f]{6}$|^groer-co-[0-9a-f]{6}$|^gro[a-z-]*co-[0-9a-f]{6}$/,
    )
    const caller = asked(slug)
    expect(await caller.members.me()).toMatchObject({ role: 'admin' })
    expect(await caller.projects.current()).toMatchObject({ name: 'Größer & Co' })
    const environments = await caller.runtimes.environments()
    expect(environments.map(({ name, requiresNote }) => [name, requiresNote])).toEqual([
      ['dev', false],
      ['staging', false],
      ['production', true],
    ])
    expect((await caller.configs.list({ filter: {} })).rows).toEqual([])
    await caller.projects.rename({ name: 'Smaller' })
    expect((await caller.projects.current()).name).toBe('Smaller')
  })

  test('a new project is deleted with all its data except the audit log, and so are accounts that have no other project', async () => {
    const wren = await makeTenant(await otherProject(), 'wren')
    const { projectId } = wren.project
    const untouched = await fingerprintRows(plover.project.projectId)
    const admin = createAdmin(wren)
    const { name } = await admin.projects.current()
    expect(await admin.projects.deletion()).toMatchObject({
      name,
      configs: 1,
      versions: 1,
      sessions: 1,
      runtimes: 1,
      isLast: false,
    })
    await expect(admin.projects.delete({ typedName: 'other' })).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
    })
    await admin.projects.delete({ typedName: name })
    const left = Object.entries(await fingerprintRows(projectId)).filter(
      ([, rows]) => !rows.startsWith('0 rows'),
    )
    expect(left.map(([table]) => table)).toEqual(['audit_chains', 'audit_entries', 'audit_links'])
    expect(await database().prisma.user.count({ where: { id: wren.people.viewer.userId } })).toBe(0)
    expect(await database().prisma.sessionEvent.count({ where: { projectId } })).toBe(0)
    expect(await fingerprintRows(plover.project.projectId)).toEqual(untouched)
  })

  test('a new project is removed completely at the next start when its removal was interrupted', async () => {
    const finch = await makeTenant(await otherProject(), 'finch')
    const { projectId } = finch.project
    await database().prisma.project.delete({ where: { id: projectId } })
    expect(await database().prisma.session.count({ where: { projectId } })).toBe(1)
    await finishRemovals()
    expect(await database().prisma.session.count({ where: { projectId } })).toBe(0)
    expect(await database().prisma.sessionEvent.count({ where: { projectId } })).toBe(0)
    expect(await database().prisma.runtime.count({ where: { projectId } })).toBe(0)
  })
})
