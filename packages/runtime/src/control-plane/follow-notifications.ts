// Listens to the server's notifications, and to the bundles that it pushes, for as long as the runtime lives. A lost one costs at most one poll
// interval.
import { PushedBundle } from '@signalbox/wire'
import { createParser } from 'eventsource-parser'
import { backoffMs } from '../base/backoff.ts'
import { sleep } from '../base/sleep.ts'
import type { DataPlane } from './data-plane.ts'

/** A stream that lived shorter counts as a failed attempt, so that a server that hangs up at once is not flooded. */
const STEADY_STREAM_MS = 5000

export interface NotificationFollower {
  readonly plane: DataPlane
  readonly signal: AbortSignal
  /** The server serves this revision now; `bundle` is what it pushed of it, null where it only notifies. Neither is verified. */
  readonly onRevision: (revision: number, bundle: PushedBundle | null) => void
  /** This runtime is requested to report now. */
  readonly onRefresh: (runtimeId: string) => void
}

/** Ends when `signal` aborts. */
export async function followNotifications(follower: NotificationFollower): Promise<void> {
  const { plane, signal } = follower
  for (let attempt = 1; !signal.aborted; attempt++) {
    try {
      const opened = performance.now()
      const body = await plane.openStream(signal)
      if (body !== null) await readNotifications(body, follower)
      if (performance.now() - opened > STEADY_STREAM_MS) attempt = 1
    } catch {
      // The stream broke; polling continues meanwhile, and the loop connects again.
    }
    await sleep(backoffMs(attempt, Math.random()), signal)
  }
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
      // Another runtime's is not ours; the id is compared by the caller.
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
