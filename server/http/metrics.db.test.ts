import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { database } from '@/server/platform/db/client.ts'
import { setTestEnvironment, withTestDatabase } from '@/server/platform/db/test-database.ts'
import { installed } from '@/server/test/installation.ts'
import { getLivez, getReadyz } from './health.ts'
import { getMetrics } from './metrics.ts'

const TOKEN = 'a-token-of-monitoring'

withTestDatabase()
setTestEnvironment({ SIGNALBOX_METRICS_TOKEN: TOKEN })

beforeAll(async () => {
  await installed()
})

afterAll(() => vi.restoreAllMocks())

const ask = (headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  getMetrics(new Request('http://127.0.0.1:3000/metrics', { headers }))

describe('metrics', () => {
  test('metrics are refused without the token, with a wrong token, and to a remote sender', async () => {
    const answers = [
      ask(),
      ask({ authorization: 'Bearer wrong' }),
      ask({ 'x-forwarded-for': '::1' }),
    ]
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([401, 401, 401])
  })

  test('count waiting jobs and their age, and runtimes by state', async () => {
    const { pool } = database()
    await pool.query(
      `SELECT graphile_worker.add_job('jobs.tidy', run_at => now() - interval '90 seconds')`,
    )
    const answer = await ask({ authorization: `Bearer ${TOKEN}` })
    const text = await answer.text()
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/)
    expect(text).toContain('signalbox_database_up 1')
    expect(text).toMatch(/signalbox_jobs_waiting\{task="jobs\.tidy"\} 1/)
    expect(
      Number(/^signalbox_jobs_oldest_waiting_seconds (\S+)$/m.exec(text)?.[1]),
    ).toBeGreaterThan(89)
    expect(text).toMatch(/signalbox_runtimes\{state="connected"\} 0/)
  })
})

test('the probes report a live process that is not ready without a database', async () => {
  const { pool } = database()
  vi.spyOn(pool, 'query').mockImplementation(() =>
    Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })),
  )
  expect(getLivez().status).toBe(200)
  expect((await getReadyz()).status).toBe(503)
  const text = await (await ask({ authorization: `Bearer ${TOKEN}` })).text()
  expect(text).toContain('signalbox_database_up 0')
  expect(text).not.toContain('signalbox_jobs_waiting{')
})
