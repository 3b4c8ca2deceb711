import { randomInt } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { systemProject } from '@/server/platform/auth/system.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { groupStops, type StopGroup } from './stop-groups.sql.ts'
import type { StopFilter } from './stop-list.sql.ts'

withTestDatabase()

const PROJECT = systemProject('prj_groups')
const MINUTE = 60_000
const BEGIN = 1_795_000_000_000
const SESSIONS = 40
const VERDICTS = ['blocked', 'blocked', 'blocked', 'allowed', 'error', 'bypassed'] as const
const PROMPTS = ['coder', 'writer'] as const

interface Stop {
  readonly id: string
  readonly session: string
  readonly seq: number
  readonly at: number
  readonly environment: string
  readonly key: string
  readonly verdict: (typeof VERDICTS)[number]
  readonly code: string
}

const pick = <Thing>(things: readonly [Thing, ...Thing[]]): Thing =>
  things[randomInt(things.length)] ?? things[0]

const stops: readonly Stop[] = Array.from({ length: SESSIONS }, (_, index) => {
  const session = `sess_${String(index).padStart(3, '0')}`
  const of = { environment: pick(['dev', 'production']), key: pick(PROMPTS), session }
  return Array.from({ length: randomInt(12) }, (__, n): Stop => {
    const at = BEGIN + index * 7 * MINUTE + n * 11 * MINUTE
    return {
      ...of,
      id: `${session}_${n}`,
      seq: 5 + n,
      at,
      verdict: pick(VERDICTS),
      code: `c${randomInt(3)}`,
    }
  })
}).flat()

beforeAll(async () => {
  const column = (name: keyof Stop) => stops.map((stop) => stop[name])
  await database().pool.query(
    `INSERT INTO stops (project_id, id, environment, session_id, seq, attempted_seq, attempt, at, ns, key, via, verdict, code, reason)
     SELECT p.id, p.prefix || n.id, n.environment, p.prefix || n.session_id, n.seq, n.seq - 1, 1, to_timestamp(n.at / 1000), 'n', n.key, 'turn_end', n.verdict, n.code,
       'Because of ' || n.id
     FROM unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::float8[], $6::text[], $7::text[], $8::text[])
       AS n(id, environment, session_id, seq, at, key, verdict, code)
       CROSS JOIN (VALUES ('${PROJECT}', ''), ('prj_other', 'other')) AS p(id, prefix)`,
    (['id', 'environment', 'session', 'seq', 'at', 'key', 'verdict', 'code'] as const).map(column),
  )
})

function isChosen(
  stop: Stop,
  { environment, verdict, code, prompt, since, until }: StopFilter,
): boolean {
  return (
    (environment === undefined || stop.environment === environment) &&
    (verdict === undefined || stop.verdict === verdict) &&
    (code === undefined || stop.code === code) &&
    (prompt === undefined || stop.key === prompt.key) &&
    (since === undefined || stop.at >= since) &&
    (until === undefined || stop.at < until)
  )
}

function releasedAmong(group: readonly Stop[]): number {
  const first = new Map<string, number>()
  for (const { session, seq } of group)
    first.set(session, Math.min(seq, first.get(session) ?? Number.POSITIVE_INFINITY))
  return [...first].filter(([session, seq]) =>
    stops.some((stop) => stop.session === session && stop.seq > seq && stop.verdict === 'allowed'),
  ).length
}

type Facts = Pick<
  StopGroup,
  | 'verdict'
  | 'code'
  | 'key'
  | 'stops'
  | 'sessions'
  | 'firstAt'
  | 'lastAt'
  | 'allowedLater'
  | 'newestId'
  | 'reason'
  | 'configs'
>

function recount(filter: StopFilter, by: 'reason' | 'config'): readonly Facts[] {
  const groups = new Map<string, Stop[]>()
  for (const stop of stops.filter((one) => isChosen(one, filter))) {
    const name = [stop.verdict, stop.code, ...(by === 'config' ? [stop.key] : [])].join(' ')
    groups.set(name, [...(groups.get(name) ?? []), stop])
  }
  const facts = [...groups.values()].flatMap((group): readonly Facts[] => {
    const sorted = [...group].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
    const [first, newest] = [sorted[0], sorted.at(-1)]
    if (first === undefined || newest === undefined) return []
    const { verdict, code, key } = newest
    return [
      {
        verdict,
        code,
        key: by === 'config' ? key : null,
        stops: group.length,
        sessions: new Set(group.map(({ session }) => session)).size,
        allowedLater: releasedAmong(group),
        firstAt: first.at,
        lastAt: newest.at,
        newestId: newest.id,
        reason: `Because of ${newest.id}`,
        configs: new Set(group.map((stop) => stop.key)).size,
      },
    ]
  })
  const rank = ({ verdict, stops: count, code, key }: Facts) =>
    [
      verdict === 'allowed' ? 1 : 0,
      String(99_999 - count).padStart(5, '0'),
      verdict,
      code,
      key,
    ].join(' ')
  return facts.sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
}

const middle = BEGIN + SESSIONS * 4 * MINUTE
const FILTERS: readonly StopFilter[] = [
  {},
  { since: middle },
  { since: middle, verdict: 'blocked' },
  { verdict: 'allowed' },
  { code: 'c1' },
  { environment: 'dev', since: middle },
  { prompt: { ns: 'n', key: 'coder' } },
  { since: BEGIN, until: middle },
]

test.each(FILTERS)(
  'stop groups equal those computed by a loop over the stops: %j',
  async (filter) => {
    for (const by of ['reason', 'config'] as const) {
      const query = { filter, by, from: BEGIN, to: BEGIN + 24 * 3_600_000 }
      const groups = await groupStops(PROJECT, query)
      const facts = groups.map(({ spark, versions, ns, ...group }) => {
        expect(spark.reduce((sum, n) => sum + n, 0)).toBe(group.stops)
        expect(versions).toEqual([])
        expect(ns).toBe(by === 'config' ? 'n' : null)
        return group
      })
      expect(facts).toEqual(recount(filter, by))
    }
  },
)
