// Call ids for harnesses that give none: a result belongs to the oldest open request of the same tool and arguments.
import { canonicalJson } from '@signalbox/wire'

export class CallPairing {
  #count = 0
  readonly #open = new Map<string, string[]>()

  /** A new id for a request without one. */
  begin(tool: string, args: unknown): string {
    const id = `call_${++this.#count}`
    const key = keyOf(tool, args)
    this.#open.set(key, [...(this.#open.get(key) ?? []), id])
    return id
  }

  /** The id of the oldest open request; a fresh one when there is none, which core reports as an anomaly. */
  end(tool: string, args: unknown): string {
    const key = keyOf(tool, args)
    const [oldest, ...rest] = this.#open.get(key) ?? []
    if (rest.length === 0) this.#open.delete(key)
    else this.#open.set(key, rest)
    return oldest ?? `call_${++this.#count}`
  }
}

/** Arguments that are not JSON share one key: such calls are denied before they could be paired wrongly. */
function keyOf(tool: string, args: unknown): string {
  try {
    return `${tool}\n${canonicalJson(args ?? null)}`
  } catch {
    return tool
  }
}
