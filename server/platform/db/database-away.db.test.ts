import { once } from 'node:events'
import net from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { isDatabaseAway } from '../base/errors.ts'
import { resetAll } from '../base/process-memory.ts'
import { database } from './client.ts'
import { inSqlTransaction } from './sql-transaction.ts'
import { readTestUrl, setTestEnvironment, withTestDatabase } from './test-database.ts'
import { inTransaction, reader } from './transaction.ts'

withTestDatabase()

function report(code: string, text: string) {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${text}\0\0`)
  const head = Buffer.from('E\0\0\0\0')
  head.writeInt32BE(4 + fields.length, 1)
  return (socket: net.Socket) => socket.end(Buffer.concat([head, fields]))
}

const ENDS = {
  'closes the connection': (socket: net.Socket) => socket.destroy(),
  'resets the connection': (socket: net.Socket) => socket.resetAndDestroy(),
  'reports a crashed server': report('08P01', 'server conn crashed?'),
  'reports that it stops': report('57P01', 'terminating connection due to administrator command'),
  'reports that it starts': report('57P03', 'the database system is starting up'),
  'reports that it is full': report('53300', 'sorry, too many clients already'),
  'reports a conflict': report('40001', 'could not serialize access due to concurrent update'),
}
const isSilent = (): void => undefined

/** Where the database goes away: `at`: part of what the client sends there, empty for its first message; `fails`: number of WAYS that get there. */
const STEPS = {
  'connection is opened': { at: '', fails: 6 },
  'server is asked if it writes': { at: 'SHOW transaction_read_only', fails: 6 },
  'transaction begins': { at: 'BEGIN', fails: 3 },
  'statement runs': { at: 'away', fails: 6 },
  'transaction is committed': { at: 'COMMIT', fails: 3 },
}

const WAYS: Readonly<Record<string, () => Promise<unknown>>> = {
  'statement of the driver': () => database().pool.query('SELECT 1 AS away'),
  'transaction of the driver': () => inSqlTransaction((sql) => sql.query('SELECT 1 AS away', [])),
  'raw statement of Prisma': () => reader().$queryRaw`SELECT 1 AS away`,
  'query of Prisma': () => reader().user.findFirst({ where: { id: 'away' } }),
  'raw statement in a transaction of Prisma': () =>
    inTransaction((tx) => tx.$queryRaw`SELECT 1 AS away`),
  'query in a transaction of Prisma': () =>
    inTransaction((tx) => tx.user.findFirst({ where: { id: 'away' } })),
}

/** Null: all is passed on. */
let strike: { readonly at: string; readonly end: (socket: net.Socket) => void } | null = null

const open = new Set<net.Socket>()

const road = net.createServer((socket) => {
  open.add(socket)
  const { hostname, port } = direct
  const onward = net.connect(Number(port), hostname)
  let isStruck = false
  socket.on('data', (chunk) => {
    if (strike !== null && chunk.includes(strike.at)) {
      isStruck = true
      strike.end(socket)
    }
    if (!isStruck) onward.write(chunk)
  })
  onward.on('data', (chunk) => {
    if (!isStruck) socket.write(chunk)
  })
  socket
    .on('error', () => undefined)
    .on('close', () => {
      open.delete(socket)
      onward.destroy()
    })
  onward.on('error', () => undefined).on('close', () => socket.destroy())
})
let direct = new URL('postgres://unknown')

async function useDatabaseAt(port: number): Promise<void> {
  const url = new URL(direct)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  setTestEnvironment({ DATABASE_URL: url.href })
  await resetAll()
}

function readPort(server: net.Server): number {
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port.')
  return address.port
}

beforeAll(async () => {
  direct = readTestUrl()
  road.listen(0, '127.0.0.1')
  await once(road, 'listening')
})

afterAll(() => {
  road.close()
})

// A connection that stays silent would be waited for at the end.
afterEach(() => {
  for (const socket of open) socket.destroy()
})

beforeEach(async () => {
  strike = null
  await useDatabaseAt(readPort(road))
})

async function tryWays(names: readonly string[]) {
  const failures = await Promise.all(
    names.map(async (name) =>
      WAYS[name]?.().then(
        () => null,
        (error: unknown) => ({ name, error }),
      ),
    ),
  )
  const failed = failures.filter((failure) => failure !== null && failure !== undefined)
  const unknown = failed.filter(({ error }) => !isDatabaseAway(error))
  return { failed: failed.length, unknown }
}

test('the ways succeed when nothing ends', async () => {
  expect(await tryWays(Object.keys(WAYS))).toEqual({ failed: 0, unknown: [] })
})

// Slow, because the commit has its whole time; the connection that waits for it is not used again.
test('the database is away when it never answers a commit', async () => {
  strike = { at: 'COMMIT', end: isSilent }
  expect(await tryWays(['transaction of the driver'])).toEqual({ failed: 1, unknown: [] })
  strike = null
  expect(await tryWays(['transaction of the driver'])).toEqual({ failed: 0, unknown: [] })
})

test.each(
  Object.entries(STEPS).flatMap(([step, { at, fails }]) =>
    Object.entries(ENDS).map(([how, end]) => [how, step, { at, end, fails }] as const),
  ),
)('the database is away when it %s while a %s', async (_how, _step, { at, end, fails }) => {
  strike = { at, end }
  expect(await tryWays(Object.keys(WAYS))).toEqual({ failed: fails, unknown: [] })
})

test('the database is away when it refuses connections', async () => {
  const closed = net.createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const port = readPort(closed)
  closed.close()
  await once(closed, 'close')
  await useDatabaseAt(port)
  expect(await tryWays(Object.keys(WAYS))).toEqual({ failed: 6, unknown: [] })
})

test('the database is away when it accepts connections and stays silent', async () => {
  strike = { at: '', end: isSilent }
  expect(await tryWays(Object.keys(WAYS))).toEqual({ failed: 6, unknown: [] })
})

test('the database is away when a transaction of Prisma does not begin', async () => {
  strike = { at: 'BEGIN', end: isSilent }
  const names = Object.keys(WAYS).filter((name) => name.endsWith('transaction of Prisma'))
  expect(await tryWays(names)).toEqual({ failed: 2, unknown: [] })
})
