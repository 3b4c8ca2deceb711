import { expect, test } from 'vitest'
import { database } from '../db/client.ts'
import { withTestDatabase } from '../db/test-database.ts'
import { createThrottle, toNetwork } from './throttle.ts'
import { removePastTries } from './throttles.sql.ts'

withTestDatabase()

const replica = (limit = 10) => createThrottle({ name: 'tries', limit, windowMs: 60_000 })
/** Ends them an hour ago, because a clock may be set back between two statements. */
const endWindows = () =>
  database().prisma.$executeRaw`UPDATE throttles SET ends_at = now() - interval '1 hour'`

test('a throttle of two concurrent replicas admits no more than the limit in all', async () => {
  const [one, other] = [replica(), replica()]
  const asked = Array.from({ length: 20 }, () => [one.admit('ada'), other.admit('ada')]).flat()
  expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(10)
})

test('a throttle admits a returned attempt again, and restarts the count in a new window', async () => {
  const throttle = replica(1)
  expect([await throttle.admit('bea'), await throttle.admit('bea')]).toEqual([true, false])
  await throttle.forgive('bea')
  await throttle.forgive('bea')
  expect([await throttle.admit('bea'), await throttle.admit('bea')]).toEqual([true, false])
  await endWindows()
  expect(await throttle.admit('bea')).toBe(true)
})

test('throttles count separately by name, and their rows hold no counted text and expire', async () => {
  const other = createThrottle({ name: 'other tries', limit: 1, windowMs: 60_000 })
  expect([await replica(1).admit('cem'), await other.admit('cem')]).toEqual([true, true])
  const rows = await database().prisma.throttle.findMany()
  expect(rows.map(({ key }) => key).filter((key) => !/^[0-9a-f]{64}$/.test(key))).toEqual([])
  await endWindows()
  await removePastTries()
  expect(await database().prisma.throttle.count()).toBe(0)
})

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::9', '2001:db8:1:2'],
  ['2001:0DB8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  [null, 'unknown'],
])('the network of the address %s is %s', (address, network) => {
  expect(toNetwork(address)).toBe(network)
})
