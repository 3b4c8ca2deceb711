// There is one reader per environment and one text per form, for any number of listeners (decision 48).
import type { KeyScope } from '@/server/platform/auth/scope.ts'
import { onNotification } from '@/server/platform/live/live-bus.ts'
import { bodyFor, type CurrentBundle, loadCurrentBundle } from './bundles.ts'

/** A larger bundle is only announced, because a slow reader must not keep much of it in the server's memory. */
const MOST_PUSHED_CHARACTERS = 256 * 1024

export interface Listener {
  /** Optional parts of the bundles that are pushed; null: the listener wants notifications only. */
  readonly parts: readonly string[] | null
  readonly send: (chunk: Uint8Array) => void
}

interface Channel {
  readonly listeners: Set<Listener>
  readonly stop: () => void
  /** Every listener received this revision or a later one, or will as its first message. */
  told: number
  /** Reads the revision again after a failure; null: the last read succeeded. */
  retry: NodeJS.Timeout | null
}

/** Pause before the revision is read again, doubled after each failure up to the longest, in milliseconds. */
const FIRST_RETRY_MS = 250
const LONGEST_RETRY_MS = 5_000

const encoder = new TextEncoder()
const channels = new Map<string, Channel>()

function encoded(event: 'revision' | 'bundle', revision: number, data: object): Uint8Array {
  return encoder.encode(`event: ${event}\nid: ${revision}\ndata: ${JSON.stringify(data)}\n\n`)
}

function formatNotification({ revision, digest }: CurrentBundle): Uint8Array {
  return encoded('revision', revision, { revision, digest })
}

/** Builds the notification of the bundle for each listener. Equal notifications share their bytes. */
function createNewsBuilder(bundle: CurrentBundle): (listener: Listener) => Uint8Array {
  const { revision } = bundle
  const notification = formatNotification(bundle)
  const pushed = new Map<string, Uint8Array>()
  return ({ parts }) => {
    if (parts === null) return notification
    const { digest, signature, body: text } = bodyFor(bundle, parts)
    if (text.length > MOST_PUSHED_CHARACTERS) return notification
    const made =
      pushed.get(digest) ?? encoded('bundle', revision, { revision, digest, signature, text })
    pushed.set(digest, made)
    return made
  }
}

type Place = Pick<KeyScope, 'projectId' | 'environment'>

function openChannel(place: Place, { environmentId, revision }: CurrentBundle): Channel {
  const listeners = new Set<Listener>()
  const tell = async (): Promise<void> => {
    const bundle = await loadCurrentBundle(place)
    if (bundle.revision <= channel.told) return
    channel.told = bundle.revision
    const newsFor = createNewsBuilder(bundle)
    for (const listener of listeners) listener.send(newsFor(listener))
  }
  // Listeners stay while the database is away: a thousand runtimes that reconnect at once would be its first load when it is back.
  const tellSoon = (pause = FIRST_RETRY_MS): void => {
    tell().catch(() => {
      if (listeners.size === 0) return
      clearTimeout(channel.retry ?? undefined)
      const next = Math.min(2 * pause, LONGEST_RETRY_MS)
      channel.retry = setTimeout(() => tellSoon(next), pause).unref()
    })
  }
  const stop = onNotification(place.projectId, (notification) => {
    if (notification.kind === 'refresh' && notification.environment === environmentId) {
      const text = encoder.encode(
        `event: refresh\ndata: ${JSON.stringify({ runtime_id: notification.id })}\n\n`,
      )
      for (const { send } of listeners) send(text)
    }
    if (notification.kind !== 'release') return
    if (notification.id !== undefined && notification.id !== environmentId) return
    tellSoon()
  })
  const channel: Channel = { listeners, stop, told: revision, retry: null }
  channels.set(environmentId, channel)
  return channel
}

/** Sends the current revision immediately, as a notification, and then every later one. Returns the function that stops it. */
export async function listenToReleases(place: Place, listener: Listener): Promise<() => void> {
  const current = await loadCurrentBundle(place)
  const { environmentId } = current
  const channel = channels.get(environmentId) ?? openChannel(place, current)
  channel.listeners.add(listener)
  const leave = (): void => {
    channel.listeners.delete(listener)
    if (channel.listeners.size > 0 || channels.get(environmentId) !== channel) return
    channels.delete(environmentId)
    clearTimeout(channel.retry ?? undefined)
    channel.stop()
  }
  try {
    // Read after the listener is registered, so that no release is missed.
    listener.send(formatNotification(await loadCurrentBundle(place)))
    return leave
  } catch (error) {
    leave()
    throw error
  }
}
