// A replicated stream of NATS holds batches of events until the database has stored them (specs/event-log.md).
import { setTimeout as sleep } from 'node:timers/promises'
import {
  AckPolicy,
  type Consumer,
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamInfo,
} from '@nats-io/jetstream'
import { connect, headers, type NatsConnection } from '@nats-io/transport-node'
import { MAX_EVENT_BYTES } from '@signalbox/wire'
import { type Env, env } from '@/server/platform/base/env.ts'
import { describeError } from '@/server/platform/base/failure.mjs'
import { registerReset } from '@/server/platform/base/process-memory.ts'
import { logger } from '@/server/platform/observability/log.mjs'
import { metrics } from '@/server/platform/observability/metrics.mjs'
import { describeRefusal, findWeakness, toConnectionOptions } from './log-servers.mjs'

/** Cells may share the servers, but not the stream. */
const toStream = (cell: string): string => `SIGNALBOX_EVENTS_${cell}`
const toSubject = (cell: string, partition: number | '*'): string =>
  `signalbox.events.${cell}.${partition}`
/** Readers share the log by partition. Changing it needs new consumers, so it is the same in every installation. */
export const PARTITIONS = 8
const REPLICAS = 3

/** Window in which the log drops a batch that was published before. PostgreSQL finds later repeats. */
const REPEATS_MS = 120_000
const REDELIVER_MS = 10_000
const PUBLISH_WITHIN_MS = 5_000
const API_WITHIN_MS = 5_000
const LOOK_MS = 2_000
const CHECK_MS = 60_000
/** Senders wait when the log is this full, so that no batch is refused by the log itself. */
const FULL_SHARE = 0.9
/** Senders wait when the oldest batch is this old: keys are trusted for the same time without a database. */
const MOST_LAG_MS = 3_600_000
/** Least size of a message, in bytes: the longest line of a batch, which may not get smaller by compression, and headers. */
const LEAST_PAYLOAD = 2 * MAX_EVENT_BYTES
const HEADER_BYTES = 1024

const MAXIMUM_BYTES_EXCEEDED = 10_077
const STREAM_NOT_FOUND = 10_059
const CONSUMER_NOT_FOUND = 10_014
const NOT_CLUSTERED = 10_074

export const FIELDS = {
  key: 'Signalbox-Key',
  project: 'Signalbox-Project',
  environment: 'Signalbox-Environment',
  events: 'Signalbox-Events',
  encoding: 'Content-Encoding',
} as const

export interface LogState {
  /** Why the log takes no events now; null: it does. */
  readonly problem: string | null
  /** Why acknowledged events may be lost with the power, which the operator accepts; null: they are not. */
  readonly weakness: string | null
  /** Age in ms of the oldest batch that is not stored yet. */
  readonly lagMs: number
  readonly batches: number
  readonly bytes: number
  readonly mostBytes: number
}

export interface Batch {
  /** Absent: the cell of this process. */
  readonly cell?: string
  readonly partition: number
  readonly data: Uint8Array
  /** Within the window of repeats, the log stores a batch with a known id once. */
  readonly id: string
  readonly fields: Readonly<Record<string, string>>
}

/** `full`: the sender must wait. `away`: it is unknown if the log holds the batch. */
export type Published = 'held' | 'full' | 'away'

type Settings = Pick<
  Env,
  | 'SIGNALBOX_CELL'
  | 'SIGNALBOX_EVENT_LOG_MONITOR'
  | 'SIGNALBOX_EVENT_LOG_MIB'
  | 'SIGNALBOX_EVENT_LOG_UNSAFE'
> & { readonly servers: string }

const UNKNOWN = 'The event log has not answered yet.'

export class EventLog {
  readonly #settings: Settings
  readonly #closing = new AbortController()
  #connection: NatsConnection | null = null
  #isConnected = false
  #state: LogState
  /** Why no batch is published; null: the stream exists, and its servers were accepted. */
  #refusal: string | null = UNKNOWN
  #checkedAt = 0
  readonly #watching: Promise<void>

  constructor(settings: Settings) {
    this.#settings = settings
    const mostBytes = settings.SIGNALBOX_EVENT_LOG_MIB * 1024 * 1024
    this.#state = { problem: UNKNOWN, weakness: null, lagMs: 0, batches: 0, bytes: 0, mostBytes }
    this.#watching = this.#watch()
  }

  get cell(): string {
    return this.#settings.SIGNALBOX_CELL
  }

  get state(): LogState {
    return this.#state
  }

  get mostBytes(): number {
    return (this.#connection?.info?.max_payload ?? 1024 * 1024) - HEADER_BYTES
  }

  /** Resolves once most servers of the log hold the batch. Never rejects. */
  async publish({ partition, data, id, fields, cell = this.cell }: Batch): Promise<Published> {
    const connection = this.#connection
    if (connection === null || !this.#isConnected || this.#refusal !== null) return 'away'
    const { bytes, mostBytes, lagMs } = this.#state
    if (bytes > mostBytes * FULL_SHARE || lagMs > MOST_LAG_MS) return 'full'
    const told = headers()
    for (const [name, value] of Object.entries(fields)) told.set(name, value)
    try {
      const options = { headers: told, msgID: id, timeout: PUBLISH_WITHIN_MS }
      await jetstream(connection).publish(toSubject(cell, partition), data, options)
      return 'held'
    } catch (error) {
      return hasCode(error, MAXIMUM_BYTES_EXCEEDED) ? 'full' : 'away'
    }
  }

  /** Consumer of a partition. Rejects when the log does not answer. */
  async openPartition(partition: number): Promise<Consumer> {
    const manager = await this.#manage()
    const stream = toStream(this.cell)
    const name = `partition-${partition}`
    if ((await findOrNull(manager.consumers.info(stream, name), CONSUMER_NOT_FOUND)) === null) {
      await manager.consumers.add(stream, {
        durable_name: name,
        filter_subject: toSubject(this.cell, partition),
        ack_policy: AckPolicy.Explicit,
        ack_wait: REDELIVER_MS * 1e6,
        // The server would leave a batch beyond its limit in place, unseen; the reader counts failures instead.
        max_deliver: -1,
        // Batches that wait for another attempt count as pending, and must not block all others.
        max_ack_pending: -1,
      })
    }
    return await jetstream(await this.#connect()).consumers.get(stream, name)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#watching
    await this.#connection?.close()
  }

  async #connect(): Promise<NatsConnection> {
    if (this.#connection !== null && !this.#connection.isClosed()) return this.#connection
    const connection = await connect({
      ...toConnectionOptions(this.#settings.servers),
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      reconnectJitter: 250,
      ignoreAuthErrorAbort: true,
    })
    this.#connection = connection
    this.#isConnected = true
    void this.#follow(connection)
    return connection
  }

  async #follow(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect' || type === 'close') this.#isConnected = false
      if (type === 'reconnect') this.#isConnected = true
    }
  }

  async #manage(): Promise<JetStreamManager> {
    const options = { timeout: API_WITHIN_MS, checkAPI: false }
    return await jetstreamManager(await this.#connect(), options)
  }

  async #watch(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      try {
        await this.#look()
      } catch (error) {
        this.#note(`The event log does not answer: ${describeError(error)}`)
      }
      await sleep(LOOK_MS, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

  async #look(): Promise<void> {
    const manager = await this.#manage()
    const info = await this.#openStream(manager)
    if (Date.now() - this.#checkedAt > CHECK_MS) await this.#check(info)
    const { messages, bytes, first_ts: first } = info.state
    const lagMs = messages === 0 ? 0 : Math.max(0, Date.now() - Date.parse(first))
    this.#state = { ...this.#state, batches: messages, bytes, lagMs }
    metrics.eventLogLag.set(lagMs / 1000)
    metrics.eventLogBytes.set(bytes)
    this.#note(this.#refusal)
  }

  /** Logs each problem once. */
  #note(problem: string | null): void {
    if (problem !== null && problem !== this.#state.problem) logger.error({ problem }, 'event log')
    this.#state = { ...this.#state, problem }
    metrics.eventLogUp.set(problem === null ? 1 : 0)
  }

  /** Until the servers were checked, no batch is published. Rejects when a monitoring address does not answer. */
  async #check({ cluster }: StreamInfo): Promise<void> {
    const { SIGNALBOX_EVENT_LOG_MONITOR: monitors, SIGNALBOX_EVENT_LOG_UNSAFE: accepted } =
      this.#settings
    const { version = '0', server_name: own = '', max_payload = 0 } = this.#connection?.info ?? {}
    const replicas = (cluster?.replicas ?? []).map(({ name }) => name)
    const names = [cluster?.leader ?? own, ...replicas]
    const weakness = await findWeakness({ version, names }, monitors)
    const isAccepted = weakness === null || accepted !== undefined
    this.#refusal = !isAccepted
      ? describeRefusal(weakness)
      : max_payload < LEAST_PAYLOAD
        ? `The event log takes messages of ${max_payload} bytes only. Set max_payload of its servers to ${LEAST_PAYLOAD} or more.`
        : null
    this.#state = { ...this.#state, weakness }
    this.#checkedAt = Date.now()
  }

  async #openStream({ streams }: JetStreamManager): Promise<StreamInfo> {
    const { mostBytes } = this.#state
    const name = toStream(this.cell)
    const found = await findOrNull(streams.info(name), STREAM_NOT_FOUND)
    if (found !== null && found.config.max_bytes === mostBytes) return found
    if (found !== null) return await streams.update(name, { ...found.config, max_bytes: mostBytes })
    const config = {
      name,
      subjects: [toSubject(this.cell, '*')],
      storage: StorageType.File,
      retention: RetentionPolicy.Workqueue,
      discard: DiscardPolicy.New,
      max_bytes: mostBytes,
      duplicate_window: REPEATS_MS * 1e6,
    }
    try {
      return await streams.add({ ...config, num_replicas: REPLICAS })
    } catch (error) {
      if (!hasCode(error, NOT_CLUSTERED)) throw error
      return await streams.add({ ...config, num_replicas: 1 })
    }
  }
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof JetStreamApiError && error.code === code
}

/** Null: the log answered with `code`. */
async function findOrNull<Found>(finding: Promise<Found>, code: number): Promise<Found | null> {
  try {
    return await finding
  } catch (error) {
    if (hasCode(error, code)) return null
    throw error
  }
}

// Kept on globalThis because Next loads this module once per bundle, but there must be one connection. The cast only adds an optional
// property of our own name.
const holder = globalThis as { signalboxEventLog?: EventLog }

registerReset(async () => {
  const open = holder.signalboxEventLog
  delete holder.signalboxEventLog
  await open?.close()
})

/** Connects when it is first called. Null: SIGNALBOX_EVENT_LOG is not set. */
export function eventLog(): EventLog | null {
  const { SIGNALBOX_EVENT_LOG: servers, ...settings } = env()
  if (servers === undefined) return null
  holder.signalboxEventLog ??= new EventLog({ ...settings, servers })
  return holder.signalboxEventLog
}
