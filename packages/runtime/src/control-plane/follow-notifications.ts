// A lost notification delays an update by at most one poll interval.
import { PushedBundle } from '@signalbox/wire'
import { createParser } from 'eventsource-parser'
import { retryMs } from '../base/backoff.ts'
import { sleep } from '../base/sleep.ts'
import type { DataPlane, OpenedStream } from './data-plane.ts'

/** A stream that ends sooner counts as a failed attempt, so that a server that disconnects at once is not flooded. */
const STEADY_STREAM_MS = 5000
/** Longest pause after a steady stream was lost: thousands of runtimes that lose theirs at once return over this time. */
const SPREAD_MS = 3000

export interface NotificationFollower {
  readonly plane: DataPlane
  readonly signal: AbortSignal
  /** Called with the revision that the server now serves, and the bundle if it pushed one; null: it only notified. Neither is verified. */
  readonly onRevision: (revision: number, bundle: PushedBundle | null) => void
  readonly onRefresh: (runtimeId: string) => void
}

/** Resolves when `signal` aborts. */
export async function followNotifications(follower: NotificationFollower): Promise<void> {
  const { signal } = follower
  for (let failures = 0; !signal.aborted; ) {
    const opened = performance.now()
    const refusal = await followOnce(follower)
    const wasSteady = performance.now() - opened > STEADY_STREAM_MS
    failures = wasSteady ? 0 : failures + 1
    const random = Math.random()
    await sleep(wasSteady ? random * SPREAD_MS : retryMs(refusal, failures, random), signal)
  }
}

/** Resolves when the stream is lost or refused, with the pause that the server demands. Never rejects. */
async function followOnce(
  follower: NotificationFollower,
): Promise<Pick<OpenedStream, 'retryAfterMs'>> {
  try {
    const { body, ...refusal } = await follower.plane.openStream(follower.signal)
    if (body === null) return refusal
    await readNotifications(body, follower)
  } catch {
    // The stream broke. Polling continues.
  }
  return {}
}

async function readNotifications(
  body: AsyncIterable<Uint8Array>,
  { onRevision, onRefresh }: NotificationFollower,
): Promise<void> {
  const parser = createParser({
    onEvent: ({ event, id, data }) => {
      if (event === 'revision') onRevision(Number(id), null)
      // An unreadable bundle counts as a notification.
      if (event === 'bundle') onRevision(Number(id), pushedBundle(data))
      // The caller ignores requests to other runtimes.
      if (event === 'refresh') onRefresh(/"runtime_id":"(\w+)"/.exec(data)?.[1] ?? '')
    },
  })
  const decoder = new TextDecoder()
  for await (const chunk of body) parser.feed(decoder.decode(chunk, { stream: true }))
}

function pushedBundle(data: string): PushedBundle | null {
  try {
    return PushedBundle.safeParse(JSON.parse(data)).data ?? null
  } catch {
    return null
  }
}
