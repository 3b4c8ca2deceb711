// Harnesses count consecutive blocks per agent; core counts all blocks of the session. A block beyond the harness's cap would have no effect.
import type { HarnessCapabilities } from '../session/harness-capabilities.ts'
import type { PastRun } from '../session/past-run.ts'
import type { NativeStop } from './native-call.ts'

type Asked = Pick<NativeStop, 'via' | 'agent'>
const MAIN = ''

export class StopCap {
  readonly #maxBlocks: number | null
  readonly #structuredAttempts: number | null
  readonly #inRow: Map<string, number>
  /** Structured outputs offered in this run, by agent, including those that the harness itself finds invalid. */
  readonly #offered: Map<string, number>

  /** `past` null: the session is new. */
  constructor(
    { maxBlocks, structuredAttempts }: HarnessCapabilities,
    past: Pick<PastRun, 'blocksInRow' | 'offered'> | null = null,
  ) {
    this.#inRow = new Map(past?.blocksInRow)
    this.#offered = new Map(past?.offered)
    this.#maxBlocks = maxBlocks
    this.#structuredAttempts = structuredAttempts
  }

  called(agent: string = MAIN): void {
    this.#inRow.delete(agent)
  }

  runStarted(): void {
    this.#inRow.clear()
    this.#offered.clear()
  }

  blocked({ via, agent = MAIN }: Asked): void {
    if (via !== 'structured_output') this.#inRow.set(agent, (this.#inRow.get(agent) ?? 0) + 1)
  }

  /** Number of blocks of the whole session at which the harness stops obeying; null: it always obeys. Counts this attempt. */
  asked({ via, agent = MAIN }: Asked, blocksSoFar: number): number | null {
    const left =
      via === 'structured_output'
        ? // The last attempt must be accepted, or the run fails.
          difference(this.#structuredAttempts, this.#offer(agent))
        : difference(this.#maxBlocks, this.#inRow.get(agent) ?? 0)
    return left === null ? null : blocksSoFar + Math.max(0, left)
  }

  #offer(agent: string): number {
    const offered = (this.#offered.get(agent) ?? 0) + 1
    this.#offered.set(agent, offered)
    return offered
  }
}

function difference(cap: number | null, used: number): number | null {
  return cap === null ? null : cap - used
}
