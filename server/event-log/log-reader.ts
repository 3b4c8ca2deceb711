import { setTimeout as sleep } from 'node:timers/promises'
import { env } from '@/server/platform/base/env.ts'
import { describeError } from '@/server/platform/base/failure.mjs'
import { logger } from '@/server/platform/observability/log.mjs'
import { logEachMinute } from '@/server/platform/observability/log-each-minute.ts'
import { type EventLog, eventLog, PARTITIONS } from './event-log.ts'
import { type Leases, openLeases } from './leases.sql.ts'
import { HeldBatches } from './store-held.ts'

const MOST_FETCHED = 128
/** Batches that are being stored at a time, of all partitions. More would only cost memory. */
const MOST_OPEN = 512
const FETCH_MS = 5_000
const BALANCE_MS = 1_000
const EXTEND_MS = 3_000
const AGAIN_MS = 1_000

const logUnread = logEachMinute('warn', 'a partition is not read')

interface Reader {
  readonly stop: () => Promise<void>
}

// Kept on globalThis because Next's dev server reloads modules after each change. The cast only adds an optional property of our own name.
const holder = globalThis as { signalboxLogReader?: Reader }

/** Does nothing without an event log or with SIGNALBOX_JOBS off. Never rejects: it retries until a signal stops it. */
export function startLogReader(): void {
  const log = eventLog()
  if (log === null || env().SIGNALBOX_JOBS === 'off') return
  holder.signalboxLogReader ??= begin(log)
}

/** Resolves when nothing is being stored. What was not stored is delivered to another reader. */
export async function stopLogReader(): Promise<void> {
  const reader = holder.signalboxLogReader
  delete holder.signalboxLogReader
  await reader?.stop()
}

function begin(log: EventLog): Reader {
  const stopping = new AbortController()
  const onSignal = (): void => stopping.abort()
  process.once('SIGTERM', onSignal).once('SIGINT', onSignal)
  const stopped = keepReading(log, stopping.signal)
  return {
    async stop() {
      process.off('SIGTERM', onSignal).off('SIGINT', onSignal)
      stopping.abort()
      await stopped
    },
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined)
}

async function keepReading(log: EventLog, signal: AbortSignal): Promise<void> {
  let last = ''
  while (!signal.aborted) {
    await readShare(log, signal).catch((error: unknown) => {
      const cause = describeError(error)
      if (cause !== last) logger.warn({ cause }, 'the event log is not read')
      last = cause
    })
    await pause(AGAIN_MS, signal)
  }
}

interface Partition {
  readonly stop: () => void
  readonly stopped: Promise<void>
}

/** Resolves when `signal` has aborted or the leases were lost. Rejects when the database cannot be reached. */
async function readShare(log: EventLog, signal: AbortSignal): Promise<void> {
  const leases = await openLeases()
  const losing = new AbortController()
  void leases.lost.then(() => losing.abort())
  const ending = AbortSignal.any([signal, losing.signal])
  const batches = new HeldBatches()
  const extending = setInterval(() => batches.extend(), EXTEND_MS).unref()
  const partitions = new Map<number, Partition>()
  try {
    while (!ending.aborted) {
      await balance(leases, partitions, (partition) => open(log, partition, batches))
      await pause(BALANCE_MS, ending)
    }
  } finally {
    // A statement that never ends must not keep its batches from other readers.
    clearInterval(extending)
    for (const { stop } of partitions.values()) stop()
    await Promise.all([...partitions.values()].map(({ stopped }) => stopped))
    await leases.close()
  }
}

async function balance(
  leases: Leases,
  held: Map<number, Partition>,
  begin: (partition: number) => Partition,
): Promise<void> {
  const share = Math.ceil(PARTITIONS / (await leases.countReaders()))
  for (let partition = 0; partition < PARTITIONS && held.size < share; partition++) {
    if (!held.has(partition) && (await leases.take(partition)))
      held.set(partition, begin(partition))
  }
  const [last] = [...held].slice(share)
  if (last === undefined) return
  const [partition, { stop, stopped }] = last
  stop()
  await stopped
  held.delete(partition)
  await leases.release(partition)
}

function open(log: EventLog, partition: number, batches: HeldBatches): Partition {
  const stopping = new AbortController()
  return {
    stop: () => stopping.abort(),
    stopped: readPartition({ log, partition, batches }, stopping.signal),
  }
}

interface Reading {
  readonly log: EventLog
  readonly partition: number
  readonly batches: HeldBatches
}

/** Resolves when `signal` has aborted and what was delivered is stored. Never rejects. */
async function readPartition(reading: Reading, signal: AbortSignal): Promise<void> {
  const storing = new Set<Promise<void>>()
  while (!signal.aborted) {
    try {
      await readBatches(reading, storing, signal)
    } catch (error) {
      logUnread({ partition: reading.partition, cause: describeError(error) })
      await pause(AGAIN_MS, signal)
    }
  }
  await Promise.all(storing)
}

async function readBatches(
  { log, partition, batches }: Reading,
  storing: Set<Promise<void>>,
  signal: AbortSignal,
): Promise<void> {
  const consumer = await log.openPartition(partition)
  while (!signal.aborted) {
    const messages = await consumer.fetch({ max_messages: MOST_FETCHED, expires: FETCH_MS })
    const end = (): void => messages.stop()
    signal.addEventListener('abort', end, { once: true })
    try {
      for await (const message of messages) {
        const stored = batches.store(message).finally(() => storing.delete(stored))
        storing.add(stored)
        if (batches.size >= MOST_OPEN) await Promise.race(storing)
      }
    } finally {
      signal.removeEventListener('abort', end)
    }
  }
}
