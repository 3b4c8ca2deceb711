import { computeDigest, type ExportedConfig, ExportV1, parseConfigText } from '@signalbox/wire'
import { beforeAll, expect, test } from 'vitest'
import { env } from '@/server/platform/base/env.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import {
  createProjectCaller,
  eventsRequest,
  installed,
  makeKey,
  ndjson,
  newSessionId,
  otherProject,
  started,
  type TestProject,
} from '@/server/test/installation.ts'
import { workOffJobs } from '@/server/test/jobs.ts'
import { firstRelease, recordedSession } from '@/server/test/recorded-session.ts'
import { configText, newPerson } from '@/server/test/tenant.ts'
import { api } from './api.ts'

withTestDatabase()

let from: TestProject
let to: TestProject

beforeAll(async () => {
  from = await installed()
  to = await otherProject()
})

async function exported(query = '') {
  const { headers } = await newPerson(from, 'viewer')
  const response = await api.fetch(
    new Request(`http://127.0.0.1:3000/api/export/configs${query}`, { headers }),
  )
  expect(response.headers.get('content-disposition')).toContain('signalbox-export.json')
  return ExportV1.parse(await response.json())
}

async function imported(
  { headers }: { readonly headers: Headers },
  body: object,
  origin: string = env().SIGNALBOX_URL,
) {
  const response = await api.fetch(
    new Request('http://127.0.0.1:3000/api/import/configs', {
      method: 'POST',
      headers: new Headers([...headers, ['origin', origin]]),
      body: JSON.stringify(body),
    }),
  )
  return { status: response.status, answer: await response.json() }
}

test("a publisher imports another project's export after a preview", async () => {
  const document = await exported()
  const publisher = await newPerson(to, 'publisher')
  const planned = await imported(publisher, { document })
  expect(planned).toMatchObject({
    status: 200,
    answer: { applied: false, configs: [{ key: 'release-notes', action: 'create' }] },
  })
  const done = await imported(publisher, { document, dry_run: false })
  expect(done).toMatchObject({ status: 200, answer: { applied: true } })
  expect(done.answer.releases_missing).toMatchObject([
    { environment: 'dev', version: 1, live: null },
  ])
  const again = await imported(publisher, { document, dry_run: false })
  expect(again.answer.configs).toMatchObject([{ action: 'unchanged' }])
})

test('an import is refused for an editor, from another site, and for an error with its position', async () => {
  const document = await exported()
  const editor = await imported(await newPerson(to, 'editor'), { document, dry_run: false })
  expect(editor).toMatchObject({
    status: 403,
    answer: { detail: expect.stringContaining('the publisher role') },
  })
  const publisher = await newPerson(to, 'publisher')
  const elsewhere = await imported(publisher, { document, dry_run: false }, 'https://evil.example')
  expect(elsewhere.status).toBe(403)
  const broken = await imported(publisher, { document: { ...document, configs: [{ ns: 'a' }] } })
  expect(broken).toMatchObject({ status: 422 })
  expect(broken.answer.errors[0].pointer).toMatch(/^\/document\/configs\/0\//)
})

test('an import of 1,200 configs is stored completely or not at all', async () => {
  const document = await exported()
  const [pattern] = document.configs
  if (pattern === undefined) throw new Error('The installation has no config.')
  const many = Array.from({ length: 1_200 }, (_, n) => copyConfig(pattern, `many-${n}`))
  const project = await otherProject()
  const publisher = await newPerson(project, 'publisher')
  const count = () =>
    database().prisma.configVersion.count({ where: { projectId: project.projectId } })
  const forged = many.map((config, n) => (n === 1_100 ? wrongDigest(config) : config))
  const refused = await imported(publisher, {
    document: { ...document, configs: forged },
    dry_run: false,
  })
  expect(refused.answer.errors).toMatchObject([{ pointer: '/document/configs/1100/versions/0' }])
  expect(await count()).toBe(0)
  const done = await imported(publisher, {
    document: { ...document, configs: many },
    dry_run: false,
  })
  expect(done.answer.configs).toHaveLength(1_200)
  expect(await count()).toBe(1_200)
})

function copyConfig(pattern: ExportedConfig, key: string): ExportedConfig {
  const text = configText({ ns: 'bulk', key }, 'as many')
  const parsed = parseConfigText(text)
  if (!parsed.ok) throw new Error('The copy is no config.')
  const versions = pattern.versions
    .slice(0, 1)
    .map((version) => ({ ...version, text, digest: computeDigest(parsed.value) }))
  return { ...pattern, ns: 'bulk', key, versions, live: [] }
}

function wrongDigest(config: ExportedConfig): ExportedConfig {
  const digest = `sha256:${'0'.repeat(64)}`
  return { ...config, versions: config.versions.map((version) => ({ ...version, digest })) }
}

async function pinnedCall(step = 'Ship') {
  const session = newSessionId()
  const release = await firstRelease()
  const prompt: { ns: string; key: string } = JSON.parse(release.text)
  const events = recordedSession({ session, at: 1_795_000_000_000, release }, [
    started({ ns: prompt.ns, key: prompt.key }),
    { type: 'plan.updated', data: { steps: [{ title: step, status: 'pending' }] } },
    { type: 'tool.requested', data: { call_id: 'c1', tool: 'search', args: {} } },
  ])
  const response = await api.fetch(eventsRequest(await makeKey(from), ndjson(events)))
  expect(await response.json()).toMatchObject({ errors: [] })
  const seq = events.find(({ type }) => type === 'tool.decided')?.seq ?? 0
  const author = await createProjectCaller(from, 'editor')
  return await author.backtests.pin({ id: `dec_${session.slice(5)}_${seq}`, note: 'must hold' })
}

test('claims are exported with their config, and imported once; one with the other answer is a conflict', async () => {
  const document = await exported()
  expect(document.configs[0]).not.toHaveProperty('claims')
  const [{ ns, key } = { ns: '', key: '' }] = document.configs
  const question = { ask: 'trapped' } as const
  const owner = await createProjectCaller(from, 'publisher')
  const { id } = await owner.claims.add({ ns, key, question, expect: 'possible' })
  const claimed = await exported()
  await owner.claims.remove({ id })
  expect(claimed.configs[0]?.claims).toEqual([{ question, expect: 'possible' }])

  const project = await otherProject()
  const publisher = await newPerson(project, 'publisher')
  await imported(publisher, { document, dry_run: false })
  const done = await imported(publisher, { document: claimed, dry_run: false })
  expect(done.answer.configs).toMatchObject([
    { action: 'add_cases', detail: '1 claim', claims_added: 1, cases_added: 0 },
  ])
  const again = await imported(publisher, { document: claimed, dry_run: false })
  expect(again.answer.configs).toMatchObject([{ action: 'unchanged', claims_added: 0 }])
  const caller = await createProjectCaller(project, 'viewer')
  expect(await caller.claims.of({ ns, key })).toMatchObject([{ question, expect: 'possible' }])
  const [config] = claimed.configs
  const opposite = {
    ...claimed,
    configs: [{ ...config, claims: [{ question, expect: 'never' }] }],
  }
  const refused = await imported(publisher, { document: opposite, dry_run: false })
  expect(refused.status).toBe(409)
})

test('pinned cases are exported with their log, and replayed in a project that never had the session', async () => {
  const pinned = await pinnedCall()
  const { ns, key } = pinned
  expect(await exported()).not.toHaveProperty('logs')
  const document = await exported('?cases=true')
  const project = await otherProject()
  const publisher = await newPerson(project, 'publisher')
  const done = await imported(publisher, { document, dry_run: false })
  expect(done.answer.configs).toMatchObject([{ action: 'create', cases_added: 1 }])
  const again = await imported(publisher, { document, dry_run: false })
  expect(again.answer.configs).toMatchObject([{ action: 'unchanged', cases_added: 0 }])

  const caller = await createProjectCaller(project, 'editor')
  const { cases } = await caller.backtests.of({ ns, key })
  expect(cases).toMatchObject([
    {
      name: pinned.name,
      recorded: pinned.recorded,
      expected: pinned.expected,
      note: 'must hold',
      importedFrom: 'default',
      isSessionStored: false,
    },
  ])
  await caller.drafts.open({ ns, key })
  const run = await caller.backtests.start({
    ns,
    key,
    sample: { kind: 'cases' },
    subject: { kind: 'version', number: 1 },
  })
  await workOffJobs()
  const { caseResults } = await caller.backtests.get({ id: run.ok ? run.id : '' })
  expect(caseResults).toMatchObject([
    { caseId: cases[0]?.id, verdict: pinned.recorded, reason: null },
  ])

  // Each project holds its own copy.
  await caller.backtests.unpin({ id: cases[0]?.id ?? '' })
  expect(await exported('?cases=true')).toMatchObject({ logs: document.logs })
})

test('an imported case with a changed log is refused with its position, or as a conflict with the stored case', async () => {
  await pinnedCall()
  const document = await exported('?cases=true')
  const publisher = await newPerson(from, 'publisher')
  const take = async (logs: typeof document.logs) =>
    await imported(publisher, { document: { ...document, logs }, dry_run: false })
  const lost = await take(
    document.logs?.map((log) => ({ ...log, events: log.events.slice(0, -1) })),
  )
  expect(lost.answer).toMatchObject({
    detail: expect.stringContaining('hold no call'),
    errors: [{ pointer: '/document/configs/0/cases/0' }],
  })
  const forged = await take(
    document.logs?.map((log) => ({
      ...log,
      events: log.events.map((event) => ({ ...event, at: event.at + 1 })),
    })),
  )
  expect(forged).toMatchObject({ status: 409 })
  expect((await take(document.logs)).answer.configs).toMatchObject([{ action: 'unchanged' }])
})

test('an imported log conflicts with a stored one even when they differ only in characters that PostgreSQL cannot store', async () => {
  for (const step of ['Ship\0', 'Ship\ud83d']) await pinnedCall(step)
  const text = JSON.stringify(await exported('?cases=true'))
  const document = JSON.parse(text.replace(/Ship\\u(?:0000|d83d)/g, 'Ship'))
  const publisher = await newPerson(from, 'publisher')
  expect(await imported(publisher, { document, dry_run: false })).toMatchObject({ status: 409 })
})
