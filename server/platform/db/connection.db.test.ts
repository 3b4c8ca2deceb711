import { once } from 'node:events'
import net from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { env } from '../base/env.ts'
import { isDatabaseAway } from '../base/errors.ts'
import { createClient, createPool } from './connection.ts'
import { withTestDatabase } from './test-database.ts'

withTestDatabase()

const toError = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => error,
  )

test('a pool uses no connection to a server that only reads, and goes on when one writes', async () => {
  const connectionString = env().DATABASE_URL
  const owner = createClient(connectionString)
  await owner.connect()
  onTestFinished(() => owner.end())
  const database = new URL(connectionString).pathname.slice(1)
  await owner.query(`ALTER DATABASE "${database}" SET default_transaction_read_only = on`)
  const pool = createPool({ connectionString, max: 2 })
  onTestFinished(() => pool.end())
  const error = await toError(pool.query('SELECT 1'))
  expect(error).toMatchObject({ code: '25006' })
  expect(isDatabaseAway(error)).toBe(true)
  await owner.query(`ALTER DATABASE "${database}" RESET default_transaction_read_only`)
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
})

test('a server that accepts connections and never answers is given up', async () => {
  const held = new Set<net.Socket>()
  const silent = net.createServer((socket) => held.add(socket)).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => {
    for (const socket of held) socket.destroy()
    silent.close()
  })
  const address = silent.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const pool = createPool({ connectionString: `postgres://a@127.0.0.1:${port}/a` })
  onTestFinished(() => pool.end())
  expect(isDatabaseAway(await toError(pool.query('SELECT 1')))).toBe(true)
})
