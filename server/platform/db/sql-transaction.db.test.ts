import { beforeAll, beforeEach, expect, it } from 'vitest'
import { database } from './client.ts'
import { inSqlTransaction, type SqlTx } from './sql-transaction.ts'
import { withTestDatabase } from './test-database.ts'

withTestDatabase()

const add = (sql: SqlTx, id: number) => sql.query('INSERT INTO lines (id) VALUES ($1)', [id])

async function stored(): Promise<readonly number[]> {
  const { rows } = await database().pool.query<{ id: number }>('SELECT id FROM lines ORDER BY id')
  return rows.map(({ id }) => id)
}

beforeAll(async () => {
  await database().pool.query('CREATE TABLE lines (id int PRIMARY KEY)')
})

beforeEach(async () => {
  await database().pool.query('DELETE FROM lines')
})

it('pipelined statements run in the order of the calls', async () => {
  const [, seen] = await inSqlTransaction((sql) =>
    Promise.all([add(sql, 1), sql.query('SELECT id FROM lines', []), add(sql, 2)]),
  )
  expect(seen).toEqual([{ id: 1 }])
  expect(await stored()).toEqual([1, 2])
})

it('the first failing statement is reported to the caller, and nothing is stored', async () => {
  let late: Promise<unknown> = Promise.resolve()
  const failed = inSqlTransaction((sql) => {
    // Behind a statement that succeeds, while another one has already failed.
    late = add(sql, 1).then(() => add(sql, 4))
    late.catch(() => undefined)
    return Promise.all([late, add(sql, 1), add(sql, 3)])
  })
  await expect(failed).rejects.toMatchObject({ code: '23505' })
  await expect(late).rejects.toThrow()
  expect(await stored()).toEqual([])
})

it('a statement after the end of its transaction is refused', async () => {
  const kept = await inSqlTransaction(async (sql) => ({ sql }))
  await expect(add(kept.sql, 5)).rejects.toThrow('is over')
  expect(await stored()).toEqual([])
})
