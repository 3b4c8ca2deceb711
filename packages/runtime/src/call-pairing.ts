// Call ids for harnesses that give none: a result belongs to the oldest open request of the same tool and arguments.
import { canonicalJson } from '@signalbox/wire'

export class CallPairing {
  #count = 0
  /** Ids of requests without a result, oldest first. */
  readonly #open = new Map<string, readonly string[]>()
  readonly #keys = new Map<string, string>()

  /** A new id for a request without one. */
  begin(tool: string, args: unknown): string {
    const id = this.#newId()
    const key = keyOf(tool, args)
    this.#keys.set(id, key)
    this.#open.set(key, [...(this.#open.get(key) ?? []), id])
    return id
  }

  /** The id of the oldest open request; a fresh one when there is none, which core reports as an anomaly. */
  end(tool: string, args: unknown): string {
    const [oldest] = this.#open.get(keyOf(tool, args)) ?? []
    if (oldest === undefined) return this.#newId()
    this.close(oldest)
    return oldest
  }

  /** No result without an id belongs to this request any more: it was denied, or its result named it. Any id may be given. */
  close(id: string): void {
    const key = this.#keys.get(id)
    if (key === undefined) return
    this.#keys.delete(id)
    const rest = (this.#open.get(key) ?? []).filter((other) => other !== id)
    if (rest.length === 0) this.#open.delete(key)
    else this.#open.set(key, rest)
  }

  /** Unlike the ids that harnesses give, which are often `call_1`. */
  #newId(): string {
    this.#count += 1
    return `signalbox_${this.#count}`
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
