// Call ids for harnesses that give none: a result belongs to the oldest open request of the same tool and arguments.
import { canonicalJson } from '@signalbox/wire'

export interface PairedBefore {
  /** Requests without a result, oldest first; `args` as recorded. */
  readonly open: readonly {
    readonly callId: string
    readonly tool: string
    readonly args: unknown
  }[]
  readonly callIds: ReadonlySet<string>
  /** Returns arguments as recorded; may throw. */
  readonly recorded: (args: unknown) => unknown
}

export class CallPairing {
  readonly #before: PairedBefore | null
  #count = 0
  readonly #open = new Map<string, readonly string[]>()
  readonly #keys = new Map<string, string>()

  /** `before` null: the session is new. */
  constructor(before: PairedBefore | null = null) {
    this.#before = before
    for (const { callId, tool, args } of before?.open ?? []) {
      if (callId.startsWith(OWN)) this.#keep(callId, toPairingKey(tool, args))
    }
  }

  begin(tool: string, args: unknown): string {
    const id = this.#newId()
    this.#keep(id, toPairingKey(tool, args))
    return id
  }

  #keep(id: string, key: string): void {
    this.#keys.set(id, key)
    this.#open.set(key, [...(this.#open.get(key) ?? []), id])
  }

  /** Returns the id of the oldest open request; if there is none, a new id, which core reports as an anomaly. */
  end(tool: string, args: unknown): string {
    const oldest = this.#oldest(toPairingKey(tool, args)) ?? this.#oldestBefore(tool, args)
    if (oldest === undefined) return this.#newId()
    this.close(oldest)
    return oldest
  }

  #oldest(key: string): string | undefined {
    return this.#open.get(key)?.[0]
  }

  /** Requests recorded by another process are known only by their recorded, redacted arguments. */
  #oldestBefore(tool: string, args: unknown): string | undefined {
    if (this.#before === null) return undefined
    try {
      return this.#oldest(toPairingKey(tool, this.#before.recorded(args)))
    } catch {
      return undefined
    }
  }

  /** Closes a request that was denied or whose result had an id, so that no result without an id is paired with it. Accepts any id. */
  close(id: string): void {
    const key = this.#keys.get(id)
    if (key === undefined) return
    this.#keys.delete(id)
    const rest = (this.#open.get(key) ?? []).filter((other) => other !== id)
    if (rest.length === 0) this.#open.delete(key)
    else this.#open.set(key, rest)
  }

  /** Differs from the ids that harnesses give, which are often `call_1`. */
  #newId(): string {
    do this.#count += 1
    while (this.#before?.callIds.has(`${OWN}${this.#count}`) === true)
    return `${OWN}${this.#count}`
  }
}

const OWN = 'signalbox_'

/** Arguments that are not JSON share one key. Such calls are denied before they could be paired wrongly. */
function toPairingKey(tool: string, args: unknown): string {
  try {
    return `${tool}\n${canonicalJson(args ?? null)}`
  } catch {
    return tool
  }
}
