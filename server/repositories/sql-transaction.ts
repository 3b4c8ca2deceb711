// A transaction of plain SQL on the pg pool, for set-based statements on the ingest path where Prisma's createMany is ten
// times slower. Statements are named, so that PostgreSQL plans each one once a connection.
import 'server-only'
import type pg from 'pg'
import { database } from '../db/client.ts'

export interface SqlTx {
  /** Rows as PostgreSQL gives them; the caller states their type beside the column list of its own statement. */
  query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<Row[]>
}

function over(client: pg.PoolClient): SqlTx {
  return {
    async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]) {
      const result = await client.query<Row>(text, [...values])
      return result.rows
    },
  }
}

/** Commits when `work` resolves; rolls back and gives the error on when it rejects. */
export async function inSqlTransaction<T>(work: (sql: SqlTx) => Promise<T>): Promise<T> {
  const client = await database().pool.connect()
  let broken: Error | undefined
  // Without a listener, a connection that dies between two statements would end the process.
  const onError = (error: Error): void => {
    broken = error
  }
  client.on('error', onError)
  try {
    await client.query('BEGIN')
    const result = await work(over(client))
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch((failure: Error) => {
      broken = failure
    })
    throw error
  } finally {
    client.off('error', onError)
    client.release(broken)
  }
}

/** Requests that wait for a connection of the pool: the sign of pressure that ingestion answers with 429. */
export function waitingForConnection(): number {
  return database().pool.waitingCount
}
