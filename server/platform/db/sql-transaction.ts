// A transaction of plain SQL on the pg pool, for set-based statements on the ingest path, where Prisma's createMany is ten times slower.
import 'server-only'
import { hash } from 'node:crypto'
import type pg from 'pg'
import { isLockLate, isReadOnlyServer } from '../base/errors.ts'
import { database, isPooled, lockLimit } from './client.ts'
import { lateError } from './transaction.ts'

export interface SqlTx {
  /**
   * Statements run in the order of the calls. Those that do not need each other's rows are sent together, because on a busy server the
   * round trip takes longer than the statement. When one fails, all later ones fail. The caller states the type of rows.
   */
  query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<Row[]>
}

const prepared = new Map<string, string>()
/** Texts beyond this number are parsed and planned each time, so that generated ones cannot fill the server's memory. */
const MOST_PREPARED = 200

/** Undefined: the statement is not prepared. A pooler in transaction mode would run it on a connection that does not know it. */
function nameStatement(text: string): string | undefined {
  const known = prepared.get(text)
  if (known !== undefined || prepared.size >= MOST_PREPARED || isPooled()) return known
  // Derived from the text, because several bundles share connections. Spans show the name, so it begins with the command.
  const [command] = text.trimStart().split(/\s/, 1)
  const name = `${command} ${hash('sha256', text, 'hex').slice(0, 32)}`
  prepared.set(text, name)
  return name
}

interface Statements {
  readonly sql: SqlTx
  /** Refuses later statements, which would run outside the transaction. */
  readonly end: () => void
}

function over(client: pg.PoolClient): Statements {
  let hasEnded = false
  const sql: SqlTx = {
    async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]) {
      if (hasEnded) throw new Error('The transaction of this statement is over.')
      const result = await client.query<Row>({
        name: nameStatement(text),
        text,
        values: [...values],
      })
      return result.rows
    },
  }
  return {
    sql,
    end: () => {
      hasEnded = true
    },
  }
}

/**
 * A primary that lost its synchronous standby answers no commit until it gets another one, which may take a minute. The caller repeats the
 * work, which is then found done or not.
 */
const COMMIT = { text: 'COMMIT', query_timeout: 15_000 }

/** Rolls back and rejects when `work` does: with the same error, or with `unavailable` if it waited too long for a lock. */
export async function inSqlTransaction<T>(work: (sql: SqlTx) => Promise<T>): Promise<T> {
  const client = await database().pool.connect()
  let broken: Error | undefined
  // A connection that fails between two statements must not be reused.
  const onError = (error: Error): void => {
    broken = error
  }
  client.on('error', onError)
  const { sql, end } = over(client)
  let isCommitting = false
  try {
    const limit = lockLimit()
    const begin = limit === null ? 'BEGIN' : `BEGIN; ${limit}`
    const [, result] = await Promise.all([client.query(begin), work(sql)])
    end()
    isCommitting = true
    await client.query(COMMIT)
    return result
  } catch (error) {
    end()
    // The server became a standby: its connections must not be reused.
    if (isReadOnlyServer(error)) broken = error
    // A connection that is silent would answer nothing else.
    if (isCommitting && error instanceof Error) broken = error
    else
      await client.query('ROLLBACK').catch((failure: Error) => {
        broken = failure
      })
    throw isLockLate(error) ? lateError() : error
  } finally {
    client.off('error', onError)
    client.release(broken)
  }
}

/** Number of requests that wait for a connection of the pool. Ingestion answers 429 when it is high. */
export function waitingForConnection(): number {
  return database().pool.waitingCount
}
