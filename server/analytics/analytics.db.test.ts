import { importedSessionId } from '@signalbox/wire'
import { beforeAll, expect, test } from 'vitest'
import { api } from '@/server/http/api.ts'
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
} from '@/server/test/installation.ts'
import { recordedSession } from '@/server/test/recorded-session.ts'
import { computeBuckets } from './charts.ts'

withTestDatabase()

const HOUR = 3_600_000
const PROMPT = { ns: 'charted', key: 'agent' }
const buildAnalyticsText = (words: string) =>
  JSON.stringify({
    schema_version: 1,
    ...PROMPT,
    description: words,
    policies: [
      ...Array.from({ length: 8 }, (_, i) => ({
        id: `order-${i}`,
        type: 'sequential_dependency',
        dependencies: { [`tool${i}`]: ['never'] },
      })),
    ],
    task_completion_checker: { id: 'plan', type: 'plan' },
  })

let viewer: Awaited<ReturnType<typeof createProjectCaller>>
let editor: Awaited<ReturnType<typeof createProjectCaller>>
let key: string
const now = Math.floor(Date.now() / HOUR) * HOUR + 60_000
const WEEK = { from: now - 168 * HOUR, until: now + HOUR }

async function record(
  release: { digest: string; text: string },
  at: number,
  calls: readonly number[],
) {
  const drafts = calls.map((tool, index) => ({
    type: 'tool.requested' as const,
    data: { call_id: `c${index}`, tool: `tool${tool}`, args: {} },
  }))
  const plan = (status: string) => ({
    type: 'plan.updated' as const,
    data: { steps: [{ title: 'one', status }] },
  })
  const stop = { type: 'stop.attempted' as const, data: { via: 'turn_end' as const } }
  const events = recordedSession({ session: newSessionId(), at, release }, [
    ...[started(PROMPT), ...drafts, plan('open'), stop, plan('done'), stop],
    { type: 'session.ended', data: { reason: 'completed' } },
  ])
  const answer = await api.fetch(eventsRequest(key, ndjson(events)))
  expect(await answer.json()).toMatchObject({ errors: [] })
}

async function publish(words: string): Promise<void> {
  const { draft } = await editor.drafts.open(PROMPT)
  const seen = { id: draft?.id ?? '', revision: draft?.revision ?? 0 }
  const saved = await editor.drafts.save({
    ...PROMPT,
    text: buildAnalyticsText(words),
    seen,
    baseVersion: null,
  })
  if (!saved.ok) throw new Error('not saved')
  const made = await editor.releases.publish({
    ...PROMPT,
    environment: 'dev',
    note: words,
    draftId: saved.id,
    revision: saved.revision,
  })
  if (!made.ok) throw new Error(made.message)
}

beforeAll(async () => {
  const project = await installed()
  key = await makeKey(project)
  viewer = await createProjectCaller(project, 'viewer')
  editor = await createProjectCaller(project, 'admin')
  await editor.configs.create({ ...PROMPT, text: buildAnalyticsText('one') })
  for (const words of ['one', 'two']) await publish(words)
  const versions = await database().prisma.configVersion.findMany({
    where: { config: PROMPT },
    orderBy: { number: 'asc' },
  })
  const [one, two] = versions
  if (one === undefined || two === undefined) throw new Error('two versions')
  // Rule i denies i + 1 times in every session of the first version, rule 0 once in each of the second.
  const every = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((rule) =>
    Array.from({ length: rule + 1 }, () => rule),
  )
  await record(one, now - 30 * HOUR, every)
  await record(one, now - 2 * HOUR, every)
  await record(two, now - HOUR, [0])
})

const chart = (name: Parameters<typeof viewer.analytics.chart>[0]['chart'], version?: number) =>
  viewer.analytics.chart({
    chart: name,
    filter: { ...WEEK, prompt: PROMPT },
    ...(version === undefined ? {} : { version }),
  })

test('the denials chart shows the six largest rules and the rest as one, and a bucket counts as many as its list', async () => {
  const denials = await chart('denials')
  expect(denials.rows.map(({ names }) => names[0])).toEqual(
    [7, 6, 5, 4, 3, 2].map((rule) => `order-${rule}`),
  )
  expect(denials.others?.of).toBe(8)
  expect(denials.total).toBe(2 * 36 + 1)
  const sum = (counts: readonly number[]) => counts.reduce((a, b) => a + b, 0)
  expect(sum(denials.others?.counts ?? [])).toBe(2 * 3 + 1)
  const first = denials.rows[0]
  expect(first?.counts.filter((count) => count > 0)).toEqual([8, 8])
  const at = first?.counts.findIndex((count) => count > 0) ?? -1
  const since = denials.buckets[at] ?? 0
  const filter = { prompt: PROMPT, rule: 'order-7', since, until: since + denials.stepMs }
  expect((await viewer.decisions.list({ filter })).rows).toHaveLength(8)
})

test('a chart of one version counts only calls and denials under that version', async () => {
  expect((await chart('denials', 2)).total).toBe(1)
  expect((await chart('calls', 1)).total).toBe(72)
  const filter = { prompt: PROMPT, version: 2 }
  expect((await viewer.decisions.list({ filter })).rows).toHaveLength(1)
  expect((await viewer.stops.list({ filter })).rows).toHaveLength(2)
})

test('the charts of stops, reasons and attempts count as many stops as the stops list', async () => {
  expect((await chart('stop_ends')).total).toBe(6)
  const [reason] = (await chart('reasons')).rows
  expect(reason).toMatchObject({ counts: [3], names: ['blocked', 'plan.open_steps'] })
  const [verdict, code] = reason?.names ?? []
  expect(verdict).toBe('blocked')
  const filter = { prompt: PROMPT, verdict: 'blocked' as const, code }
  expect((await viewer.stops.list({ filter })).rows).toHaveLength(3)
  expect((await chart('attempts')).rows).toEqual([{ names: ['2'], counts: [3] }])
  expect((await chart('plan_end')).rows).toEqual([{ names: ['5'], counts: [3] }])
})

test('a chart without a time axis counts from the start of a bucket, and so does its list', async () => {
  // Requested from right after the first session, which is in the same six hours.
  const from = now - 30 * HOUR + 60_000
  const filter = { prompt: PROMPT, from, until: from + 720 * HOUR }
  const pairs = await viewer.analytics.chart({ chart: 'pairs', filter })
  expect(pairs.from).toBeLessThan(from)
  expect(pairs.total).toBe(2 * 36 + 1)
  const { from: since, until } = pairs
  const listed = await viewer.decisions.list({
    filter: { prompt: PROMPT, since, until },
    limit: 200,
  })
  expect(listed.rows).toHaveLength(pairs.total)
})

test('the sentence of a page counts the range of its charts', async () => {
  // Requested from right after the first session, which is in the same six hours.
  const from = now - 30 * HOUR + 60_000
  const filter = { prompt: PROMPT, from, until: from + 720 * HOUR }
  const summary = await viewer.analytics.summary({ topic: 'denials', filter })
  const calls = await viewer.analytics.chart({ chart: 'calls', filter })
  expect(summary.now).toEqual({ denied: calls.total })
  expect(summary.sessions).toBe((await viewer.analytics.chart({ chart: 'sessions', filter })).total)
})

test('a comparison of two versions counts the sessions, calls, denials and stops of each', async () => {
  const [one, two] = await viewer.analytics.compare({
    filter: { ...WEEK, prompt: PROMPT },
    versions: [1, 2],
  })
  expect(one).toMatchObject({
    version: 1,
    sessions: 2,
    calls: 72,
    denied: 72,
    stops: 4,
    blocked: 2,
  })
  expect(two).toMatchObject({ version: 2, sessions: 1, calls: 1, denied: 1, released: 1 })
})

test('the frame of a chart marks every release of the prompt and lists the prompts of the project', async () => {
  const frame = await viewer.analytics.frame({ filter: { ...WEEK, prompt: PROMPT } })
  expect(frame.releases.map(({ version }) => version)).toEqual([2, 1])
  expect(frame).toMatchObject({ unused: null, keptSince: null, gaps: 0 })
  const every = await viewer.analytics.frame({ filter: WEEK })
  expect(every.prompts).toContainEqual(PROMPT)
  // The demo's config was released at the start of the project.
  expect(every.releases.map(({ ns, version }) => [ns, version])).toEqual([
    [PROMPT.ns, 2],
    [PROMPT.ns, 1],
  ])
  const demo = await viewer.analytics.frame({
    filter: { ...WEEK, prompt: { ns: 'demo', key: 'release-notes' } },
  })
  expect(demo.releases.map(({ version }) => version)).toEqual([1])
})

test('charts show nothing of another project', async () => {
  const stranger = await createProjectCaller(await otherProject(), 'admin')
  const asked = { chart: 'denials', filter: { ...WEEK, prompt: PROMPT } } as const
  expect(await stranger.analytics.chart(asked)).toMatchObject({ total: 0, rows: [] })
})

test('an imported session is in the list but not in the chart, and the frame of the chart reports it', async () => {
  const filter = { prompt: PROMPT, since: WEEK.from }
  const counted = (await chart('denials')).total
  const frame = () => viewer.analytics.frame({ filter: { ...WEEK, prompt: PROMPT } })
  expect((await frame()).imported).toBe(false)
  const session = importedSessionId('0123456789abcdef'.repeat(4))
  const release = { digest: `sha256:${'8'.repeat(64)}`, text: buildAnalyticsText('imported') }
  const events = recordedSession({ session, at: now - HOUR, release }, [
    started(PROMPT),
    { type: 'tool.requested', data: { call_id: 'c', tool: 'tool0', args: {} } },
  ])
  const answer = await api.fetch(eventsRequest(key, ndjson(events)))
  expect(await answer.json()).toMatchObject({ errors: [] })
  expect((await chart('denials')).total).toBe(counted)
  expect((await frame()).imported).toBe(true)
  const listed = async (word: string) => {
    const terms = [{ kind: 'text' as const, field: 'imported', words: [word], isNegated: false }]
    const asked = { filter: { ...filter, terms }, limit: 200 }
    return (await viewer.decisions.list(asked)).rows.length
  }
  expect([await listed('no'), await listed('yes')]).toEqual([counted, 1])
})

test('the frame of a chart names the newest release until a session has begun with it', async () => {
  const unused = async () =>
    (await viewer.analytics.frame({ filter: { ...WEEK, prompt: PROMPT } })).unused
  await publish('three')
  expect(await unused()).toMatchObject({ ...PROMPT, environment: 'dev', version: 3 })
  const three = await database().prisma.configVersion.findFirstOrThrow({
    where: { config: PROMPT, number: 3 },
  })
  await record(three, now - HOUR, [0])
  expect(await unused()).toBeNull()
})

test('a time range has at most 300 buckets of whole hours, days or weeks, none finer than the stored counts', () => {
  for (const hours of [1, 24, 168, 720, 2_160, 8_760, 87_600, 1_000_000]) {
    const { starts, stepHours, until } = computeBuckets(
      { from: now - hours * HOUR, until: now },
      now,
    )
    expect(starts.length).toBeLessThanOrEqual(300)
    expect(until).toBeGreaterThanOrEqual(now)
    expect(starts.every((at) => at % HOUR === 0)).toBe(true)
    if (hours > 34 * 24) expect(stepHours).toBeGreaterThanOrEqual(24)
    if (hours === 168) expect(stepHours).toBe(6)
  }
})
