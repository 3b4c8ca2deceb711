import net from 'node:net'
import pg from 'pg'

/** A server that accepts a connection and does not answer is given up after five seconds, not after the minutes of the kernel. */
const BOUNDED = {
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 5_000,
} as const

/** One system call per turn of the event loop. The driver corks its socket per statement, so each of a dozen would cost one. */
class GatheringSocket extends net.Socket {
  override uncork(): void {
    process.nextTick(() => super.uncork())
  }
}

/** In the pool's own options the limit would also end the wait for a free connection, which may take long on a busy server. */
class BoundedClient extends pg.Client {
  constructor(options: pg.ClientConfig = {}) {
    super({ ...options, ...BOUNDED, stream: () => new GatheringSocket() })
  }
}

export function createClient(connectionString: string): pg.Client {
  return new BoundedClient({ connectionString })
}

/** A balancer may reach a standby while it learns which server is the primary. PostgreSQL's code for a write there is 25006. */
class ReadOnlyServer extends Error {
  readonly code = '25006'

  constructor() {
    super('The database server that answered only reads. Send the same request again.')
  }
}

function requireWriter(client: pg.PoolClient, done: (error?: Error) => void): void {
  client
    .query<{ transaction_read_only: string }>('SHOW transaction_read_only')
    .then(
      ({ rows }) =>
        done(rows[0]?.transaction_read_only === 'on' ? new ReadOnlyServer() : undefined),
      done,
    )
}

/** New connections are checked once: a query rejects with code 25006 when the server only reads. */
export function createPool(options: pg.PoolConfig): pg.Pool {
  return createReadPool({ ...options, verify: requireWriter })
}

/** For a standby: the server may only read. */
export function createReadPool(options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...options, Client: BoundedClient })
  // An idle connection that the server closes must not end the process; the next query reconnects.
  pool.on('error', () => undefined)
  // The same holds for a connection in use: the rejection of its query reports the error.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}
