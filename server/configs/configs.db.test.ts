import { beforeAll, describe, expect, test } from 'vitest'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import {
  createProjectCaller,
  installed,
  otherProject,
  type TestProject,
} from '@/server/test/installation.ts'

withTestDatabase()

const CONFIGS = 1_000
const TEXT = JSON.stringify({
  schema_version: 1,
  ns: 'load',
  key: 'k',
  policies: [{ id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['test'] } }],
})

let project: TestProject
let viewer: Awaited<ReturnType<typeof createProjectCaller>>

async function seed(): Promise<void> {
  const { pool } = database()
  const { projectId, environments } = project
  const every = `FROM generate_series(1, ${CONFIGS}) n`
  const key = `'k' || lpad(n::text, 4, '0')`
  await pool.query(
    `INSERT INTO configs (id, project_id, ns, key) SELECT 'cfg_' || n, $1, 'load', ${key} ${every}`,
    [projectId],
  )
  await pool.query(
    `INSERT INTO config_versions (id, project_id, config_id, number, digest, text, document, author_id)
     SELECT 'ver_' || n || '_' || v, $1, 'cfg_' || n, v, 'sha256:' || n || '_' || v, $2, '{}', 'nobody'
     ${every}, generate_series(1, 3) v`,
    [projectId, TEXT],
  )
  // Dev runs v3 in nine of ten sessions, staging v1 in every second one of these.
  for (const [name, version, share] of [
    ['dev', 3, 'n % 10 <> 0'],
    ['staging', 1, 'n % 10 <> 0 AND n % 2 = 0'],
  ] as const) {
    await pool.query(
      `INSERT INTO releases (id, project_id, environment_id, config_id, version_id, kind, revision, author_id)
       SELECT 'rel_' || $3 || n, $1, $2, 'cfg_' || n, 'ver_' || n || '_' || ${version}, 'publish', n + 10, 'nobody'
       ${every} WHERE ${share}`,
      [projectId, environments[name], name],
    )
    await pool.query(
      `INSERT INTO environment_pointers (environment_id, config_id, version_id, release_id)
       SELECT $1, 'cfg_' || n, 'ver_' || n || '_' || ${version}, 'rel_' || $2 || n ${every} WHERE ${share}`,
      [environments[name], name],
    )
  }
  await pool.query(
    `INSERT INTO drafts (id, project_id, config_id, text, base_version, author_id, updated_by)
     SELECT 'drf_' || n, $1, 'cfg_' || n, CASE WHEN n % 100 = 7 THEN '{' ELSE $2 END, 3, 'nobody', 'nobody'
     ${every} WHERE n % 20 = 7`,
    [projectId, TEXT],
  )
  await pool.query(
    `INSERT INTO drafts (id, project_id, config_id, text, author_id, updated_by, discarded_at)
     SELECT 'old_' || n || '_' || d, $1, 'cfg_' || n, '', 'nobody', 'nobody', now() ${every}, generate_series(1, 20) d`,
    [projectId],
  )
  await pool.query(
    `INSERT INTO denials (id, project_id, environment, session_id, seq, at, ns, key, tool, decision, rule, code, reason)
     SELECT 'dec_' || n || '_' || s, $1, 'dev', 'sess_' || n || '_' || s, 1, now() - s * interval '1 hour', 'load', ${key},
       'deploy', 'denied', CASE WHEN s % 2 = 0 THEN 'order' ELSE 'other' END, 'c', 'Not yet.'
     ${every}, generate_series(0, 29) s`,
    [projectId],
  )
  await pool.query(
    `INSERT INTO stops (id, project_id, environment, session_id, seq, attempted_seq, attempt, at, ns, key, via, verdict,
       code, reason)
     SELECT 'stop_' || n || '_' || s, $1, CASE WHEN s = 1 THEN 'staging' ELSE 'dev' END, 'sess_' || n || '_' || s, 3, 2, 1,
       now() - s * interval '1 hour', 'load', ${key}, 'end_turn',
       CASE s % 3 WHEN 0 THEN 'blocked' WHEN 1 THEN 'error' ELSE 'allowed' END, 'c', 'Not done.'
     ${every}, generate_series(0, 29) s`,
    [projectId],
  )
  await pool.query(
    `INSERT INTO sessions (id, project_id, environment, ns, key, harness, partition_day, started_at, last_event_at,
       received_at, calls, denied, stop_attempts, stops_blocked)
     SELECT 'sess_' || n || '_' || s, $1, CASE WHEN s % 4 = 0 THEN 'staging' ELSE 'dev' END, 'load', ${key}, '{}',
       current_date, now() - s * interval '7 hours', now(), now(), 10, 1, 2, 1
     ${every}, generate_series(0, 99) s`,
    [projectId],
  )
  const series = `md5(n || e.name || k.kind || k.a)::uuid`
  const counted = `${every}, (VALUES ('dev'), ('staging')) e (name),
    (VALUES ('call', 'allowed', 9), ('call', 'denied', 1), ('stop', 'allowed', 1), ('stop', 'blocked', 1)) k (kind, a, count)`
  await pool.query(
    `INSERT INTO rollup_series (id, project_id, environment, ns, key, config_digest, kind, a, b, c)
     SELECT ${series}, $1, e.name, 'load', ${key}, '', k.kind, k.a, '', '' ${counted}`,
    [projectId],
  )
  await pool.query(
    `INSERT INTO rollup_hours (series_id, project_id, hour, shard, count)
     SELECT ${series}, $1, date_trunc('hour', now() - s * interval '7 hours', 'UTC'), 0, k.count
     ${counted}, generate_series(0, 7) s WHERE e.name = CASE WHEN s % 4 = 0 THEN 'staging' ELSE 'dev' END`,
    [projectId],
  )
  await pool.query(
    `INSERT INTO runtimes (id, project_id, environment, api_key_id, name, sdk_version, harness, prompts, capabilities,
       posture, applied_revision, stopped_at)
     SELECT 'rt_' || n, $1, 'dev', 'key', 'worker-' || n, '1', '{}',
       ARRAY['load/k' || lpad((n % 50 + 1)::text, 4, '0'), CASE WHEN n <= 3 THEN 'load/unmanaged' ELSE 'load/k0001' END],
       '{}', 'deny', CASE WHEN n = 9 THEN 0 ELSE (SELECT revision FROM environments WHERE id = $2) END,
       CASE WHEN n > 390 THEN now() END
     FROM generate_series(1, 400) n`,
    [projectId, environments['dev']],
  )
  await pool.query('ANALYZE')
}

beforeAll(async () => {
  project = await installed()
  viewer = await createProjectCaller(project, 'viewer')
  await seed()
}, 120_000)

type ListInput = Parameters<typeof viewer.configs.list>[0]

async function everyKey(input: Partial<ListInput>): Promise<readonly string[]> {
  const keys: string[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof viewer.configs.list>> = await viewer.configs.list({
      filter: {},
      ...input,
      cursor,
    })
    keys.push(...page.rows.map(({ ns, key }) => `${ns}/${key}`))
    cursor = page.nextCursor
  } while (cursor !== null)
  return keys
}

describe('the configs list', () => {
  test('shows every config once over all pages, in order of prompt, with the total', async () => {
    const { rows: configs, total } = await viewer.configs.list({ filter: {} })
    expect([configs.length, total]).toEqual([100, CONFIGS + 1])
    const keys = await everyKey({ limit: 90 })
    expect(keys).toEqual(keys.toSorted())
    expect(new Set(keys).size).toBe(CONFIGS + 1)
  })

  test('shows the live versions of a config, its runtimes, and its last 24 hours', async () => {
    const { rows: configs } = await viewer.configs.list({ filter: { q: 'LOAD/K0008' } })
    expect(configs).toMatchObject([
      {
        pointers: [
          { environment: 'dev', version: 3, hasEarlier: false },
          { environment: 'staging', version: 1, hasEarlier: false },
        ],
        lastRelease: { author: null },
        rules: { policies: 1, providers: 0, checks: 0 },
        runtimes: { total: 8, inSync: 8 },
        // The sessions of now and of 7, 14 and 21 hours ago.
        day: { calls: 40, denied: 4, stops: 8, blocked: 4 },
        draft: null,
      },
    ])
    const staging = await viewer.configs.list({
      filter: { q: 'k0008', environment: 'staging' },
    })
    expect(staging.rows).toMatchObject([{ runtimes: { total: 0 }, day: { calls: 10 } }])
  })

  test('the configs list is filtered by pending work: no release, runtimes behind, a draft, differing environments', async () => {
    const unreleased = await everyKey({ filter: { show: 'unreleased' } })
    expect(unreleased).toHaveLength(CONFIGS / 10)
    expect(unreleased).toContain('load/k0010')
    expect(await everyKey({ filter: { show: 'behind' } })).toEqual(['load/k0001', 'load/k0010'])
    const drafts = await viewer.configs.list({ filter: { show: 'draft' } })
    expect([drafts.rows.length, drafts.total]).toEqual([10, 10])
    expect(new Set(drafts.rows.map(({ draft }) => draft?.state))).toEqual(new Set(['invalid']))
    expect((await viewer.configs.list({ filter: { show: 'apart' }, limit: 1 })).total).toBe(901)
  })

  test('lists prompts that run without a config', async () => {
    const { prompts, hasMore } = await viewer.configs.unmanaged({})
    expect(hasMore).toBe(false)
    expect(prompts).toMatchObject([
      {
        prompt: 'load/unmanaged',
        runtimes: 3,
        isArchived: false,
        environments: ['dev'],
        postures: ['deny'],
      },
    ])
    expect((await viewer.configs.unmanaged({ environment: 'production' })).prompts).toEqual([])
  })

  test('shows the runtimes and tools of a prompt without a config, of this project only', async () => {
    const prompt = { ns: 'load', key: 'unmanaged' }
    const { projectId } = project
    const day = new Date().toISOString().slice(0, 10)
    await database().pool.query(
      `INSERT INTO activity_days (project_id, ns, key, environment, day, kind, name, count, last_at)
       SELECT $1, 'load', 'unmanaged', 'dev', $2::date, kind, name, 3, now()
       FROM (VALUES ('tool', 'WebFetch'), ('tool', 'deploy'), ('session', '')) AS f(kind, name)`,
      [projectId, day],
    )
    const reported = await viewer.configs.reported(prompt)
    expect(reported).toMatchObject({ sessions: 3, hosts: [{}, {}, {}] })
    expect(reported.tools.map(({ name }) => name)).toEqual(['WebFetch', 'deploy'])
    const text = JSON.parse(reported.text)
    expect(text).toMatchObject({ ...prompt, aliases: { WebFetch: 'web_fetch' } })
    expect(text.sections[0].tools).toEqual(['deploy', 'web_fetch'])
    const stranger = await createProjectCaller(await otherProject(), 'viewer')
    expect(await stranger.configs.reported(prompt)).toMatchObject({
      sessions: 0,
      hosts: [],
      tools: [],
    })
  })

  test('refuses an invalid cursor', async () => {
    await expect(viewer.configs.list({ filter: {}, cursor: 'load/k0001' })).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
    })
  })

  test('contains nothing of another project', async () => {
    const stranger = await createProjectCaller(await otherProject(), 'viewer')
    expect(await stranger.configs.list({ filter: {} })).toMatchObject({
      rows: [],
      nextCursor: null,
      total: 0,
    })
    expect((await stranger.configs.unmanaged({})).prompts).toEqual([])
  })
})

test('the recent refusals of a config are the newest, filtered by environment or rule', async () => {
  const prompt = { ns: 'load', key: 'k0008' }
  const { denials, stops } = await viewer.configs.recent(prompt)
  expect(denials.map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, s) => `dec_8_${s}`))
  expect(stops.slice(0, 4).map(({ id, verdict }) => [id, verdict])).toEqual([
    ['stop_8_0', 'blocked'],
    ['stop_8_1', 'error'],
    ['stop_8_3', 'blocked'],
    ['stop_8_4', 'error'],
  ])
  const staging = await viewer.configs.recent({ ...prompt, environment: 'staging' })
  expect([staging.denials, staging.stops.map(({ id }) => id)]).toEqual([[], ['stop_8_1']])
  const recent = await viewer.configs.recent({ ...prompt, rule: 'other' })
  expect(recent.denials.map(({ rule }) => rule)).toEqual(Array(10).fill('other'))
  expect(recent.stops).toEqual([])
})

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly Plans?: readonly Plan[]
}

function scannedWhole(plan: Plan): readonly string[] {
  const here = plan['Node Type'] === 'Seq Scan' ? [plan['Relation Name'] ?? ''] : []
  return [...here, ...(plan.Plans ?? []).flatMap(scannedWhole)]
}

async function recordScans(work: () => Promise<unknown>): Promise<readonly string[]> {
  const { pool } = database()
  const asked: (readonly [string, unknown[]])[] = []
  const query = pool.query
  // Observes only; every statement still runs.
  pool.query = new Proxy(query, {
    apply(target, _pool, values: readonly unknown[]) {
      const [text, bound] = values
      if (typeof text === 'string' && Array.isArray(bound)) asked.push([text, bound])
      return Reflect.apply(target, pool, values)
    },
  })
  try {
    await work()
  } finally {
    pool.query = query
  }
  expect(asked.length).toBeGreaterThan(0)
  const scans: string[] = []
  for (const [text, values] of asked) {
    const { rows } = await pool.query<{ 'QUERY PLAN': readonly [{ readonly Plan: Plan }] }>(
      `EXPLAIN (FORMAT JSON) ${text}`,
      values,
    )
    scans.push(
      ...scannedWhole(
        (rows[0] ?? { 'QUERY PLAN': [{ Plan: { 'Node Type': '?' } }] })['QUERY PLAN'][0].Plan,
      ),
    )
  }
  return scans
}

test.each([
  ['a page of the list', () => viewer.configs.list({ filter: {}, cursor: 'load~k0500' })],
  ['one config', () => viewer.configs.get({ ns: 'load', key: 'k0008' })],
  ['recent denials of a config', () => viewer.configs.recent({ ns: 'load', key: 'k0008' })],
])('%s is loaded without a sequential scan of a large table', async (_name, work) => {
  const scans = await recordScans(work)
  const large = [
    ...['sessions', 'configs', 'config_versions', 'releases', 'drafts', 'denials', 'stops'],
    ...['rollup_series', 'rollup_hours'],
  ]
  expect(scans.filter((name) => large.includes(name))).toEqual([])
})
