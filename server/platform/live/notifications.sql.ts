// A change is never announced before it is committed. Each process has one listening connection, which reconnects automatically.
import 'server-only'
import type pg from 'pg'
import { database, directUrl } from '../db/client.ts'
import { createClient } from '../db/connection.ts'
import type { SqlTx } from '../db/sql-transaction.ts'
import type { Tx } from '../db/transaction.ts'

const CHANNEL = 'signalbox'
const RETRY_MS = [100, 250, 500, 1_000, 2_000]

/** `payloads`: JSON texts under 8,000 bytes. */
export async function sendNotifications(tx: Tx, payloads: readonly string[]): Promise<void> {
  await tx.$executeRaw`SELECT pg_notify(${CHANNEL}, payload) FROM unnest(${[...payloads]}::text[]) AS payload`
}

export async function sendNotificationsBySql(
  sql: SqlTx,
  payloads: readonly string[],
): Promise<void> {
  await sql.query('SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload', [
    CHANNEL,
    payloads,
  ])
}

/** Waits for no disk and no standby, because PostgreSQL lets only one notifying transaction commit at a time. */
export async function sendNotificationsAlone(payloads: readonly string[]): Promise<void> {
  await database().pool.query(
    `WITH hurried AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
     SELECT pg_notify($1, payload) FROM hurried, unnest($2::text[]) AS payload`,
    [CHANNEL, payloads],
  )
}

export interface Listener {
  readonly onPayload: (payload: string) => void
  /** Called after every (re)connect: notifications may have been missed, so clients read again. */
  readonly onConnect: () => void
}

/** Never rejects: a lost connection is reopened after 0.1 to 2 seconds. The connection does not keep the process alive. */
export function listen(listener: Listener): () => void {
  let failures = 0
  let stopped = false
  let current: pg.Client | undefined
  const retry = (): void => {
    if (stopped) return
    const delay = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 2_000
    failures += 1
    setTimeout(connect, delay).unref()
  }
  const connect = (): void => {
    if (stopped) return
    const client = createClient(directUrl())
    current = client
    let ended = false
    const end = (): void => {
      if (ended) return
      ended = true
      client.removeAllListeners('notification')
      client.end().catch(() => undefined)
      retry()
    }
    client.on('error', end)
    client.on('end', end)
    client.on('notification', (message) => listener.onPayload(message.payload ?? ''))
    client
      .connect()
      .then(() => client.query(`LISTEN ${CHANNEL}`))
      .then(() => {
        failures = 0
        listener.onConnect()
      })
      .catch(end)
  }
  connect()
  return () => {
    stopped = true
    current?.end().catch(() => undefined)
  }
}
