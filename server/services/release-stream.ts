// Tells those who listen to an environment that it serves another revision: one reader and one text per environment, however many
// listen.
import type { KeyScope } from '../auth/scope.ts'
import { currentBundle } from './bundles.ts'
import { onHint } from './live-bus.ts'

export interface Listener {
  /** Server-sent events, encoded. */
  readonly send: (chunk: Uint8Array) => void
  /** The revision could not be read: the runtime connects again, and polls meanwhile. */
  readonly fail: () => void
}

interface Channel {
  readonly listeners: Set<Listener>
  readonly stop: () => void
  /** Highest revision that all listeners were told; what one was told when it came does not count. */
  told: number
}

const encoder = new TextEncoder()
const channels = new Map<string, Channel>()

function textOf({ revision, digest }: { readonly revision: number; readonly digest: string }) {
  return encoder.encode(
    `event: revision\nid: ${revision}\ndata: ${JSON.stringify({ revision, digest })}\n\n`,
  )
}

type Place = Pick<KeyScope, 'projectId' | 'environment'>

function openChannel(place: Place, environmentId: string): Channel {
  const listeners = new Set<Listener>()
  const tell = async (): Promise<void> => {
    const bundle = await currentBundle(place)
    if (bundle.revision <= channel.told) return
    channel.told = bundle.revision
    const text = textOf(bundle)
    for (const { send } of listeners) send(text)
  }
  const stop = onHint(place.projectId, (hint) => {
    if (hint.kind === 'refresh' && hint.environment === environmentId) {
      const text = encoder.encode(
        `event: refresh\ndata: ${JSON.stringify({ runtime_id: hint.id })}\n\n`,
      )
      for (const { send } of listeners) send(text)
    }
    if (hint.kind !== 'release') return
    if (hint.id !== undefined && hint.id !== environmentId) return
    tell().catch(() => {
      for (const { fail } of [...listeners]) fail()
    })
  })
  const channel: Channel = { listeners, stop, told: -1 }
  channels.set(environmentId, channel)
  return channel
}

/** Tells the revision at once and every later one. Returns the function that ends it. */
export async function listenToReleases(place: Place, listener: Listener): Promise<() => void> {
  const { environmentId } = await currentBundle(place)
  const channel = channels.get(environmentId) ?? openChannel(place, environmentId)
  channel.listeners.add(listener)
  const leave = (): void => {
    channel.listeners.delete(listener)
    if (channel.listeners.size > 0 || channels.get(environmentId) !== channel) return
    channels.delete(environmentId)
    channel.stop()
  }
  try {
    // Read after the listener is known, so that no release falls between.
    listener.send(textOf(await currentBundle(place)))
    return leave
  } catch (error) {
    leave()
    throw error
  }
}
