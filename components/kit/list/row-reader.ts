// The answer to a running read does not include later changes, so such a change causes another read.
import type { ListedRow, Patch } from './patches.ts'

const MOST_IDS = 500
/** Timeout after which a request is repeated, so that a hanging request does not block the list. */
const ANSWER_WITHIN_MS = 30_000

export interface RowSource<Row> {
  /** Null: failed. Absent: notifications do not name rows, so each one causes a read of the first page. */
  readonly read?: (
    ids: readonly string[],
    signal: AbortSignal,
  ) => Promise<readonly Patch<Row>[] | null>
  /** Null: failed. Rows returned as ids are read again, because the page does not tell which rows match. */
  readonly readHead: (signal: AbortSignal) => Promise<readonly (string | Patch<Row>)[] | null>
}

export class RowReader<Row extends ListedRow> {
  readonly #waiting = new Set<string>()
  readonly #held = new Set<string>()
  #isHeadUnread = false
  #reading: AbortController | null = null

  wait(ids: Iterable<string>): void {
    for (const id of ids) this.#waiting.add(id)
  }

  /** Ignores reads of the row until `release`: it is shown in its expected state. */
  hold(id: string): void {
    this.#held.add(id)
  }

  release(id: string): void {
    this.#held.delete(id)
    this.#waiting.add(id)
  }

  markHead(): void {
    this.#isHeadUnread = true
  }

  /** For a gap in the notifications: listed rows may have changed, others begun. Aborts the running read, which includes neither. */
  markAll(listed: Iterable<string>): void {
    this.wait(listed)
    this.#isHeadUnread = true
    this.abort()
  }

  abort(): void {
    this.#reading?.abort()
    this.#reading = null
  }

  /** Null: nothing new, or a read is running. */
  async next({ read, readHead }: RowSource<Row>): Promise<readonly Patch<Row>[] | null> {
    if (this.#reading !== null) return null
    const reading = new AbortController()
    this.#reading = reading
    const signal = AbortSignal.any([reading.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)])
    try {
      const [rows, newest] = await Promise.all([
        this.#rows(read, signal),
        this.#head(readHead, signal),
      ])
      return rows === null && newest.length === 0 ? null : [...(rows ?? []), ...newest]
    } finally {
      if (this.#reading === reading) this.#reading = null
    }
  }

  async #rows(
    read: RowSource<Row>['read'],
    signal: AbortSignal,
  ): Promise<readonly Patch<Row>[] | null> {
    const ids = [...this.#waiting].filter((id) => !this.#held.has(id)).slice(0, MOST_IDS)
    for (const id of ids) this.#waiting.delete(id)
    if (ids.length === 0 || read === undefined) return null
    const rows = await read(ids, signal)
    if (rows !== null && !signal.aborted) return rows.filter(({ id }) => !this.#held.has(id))
    this.wait(ids)
    return null
  }

  async #head(
    readHead: RowSource<Row>['readHead'],
    signal: AbortSignal,
  ): Promise<readonly Patch<Row>[]> {
    if (!this.#isHeadUnread) return []
    this.#isHeadUnread = false
    const head = await readHead(signal)
    // Right after a gap, the server may not be reachable yet.
    if (head === null || signal.aborted) {
      this.#isHeadUnread = true
      return []
    }
    this.wait(head.filter((one) => typeof one === 'string'))
    return head.filter((one) => typeof one !== 'string')
  }
}
