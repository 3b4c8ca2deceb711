// Tracks the rows of a list to read again, one read at a time. An answer in flight does not include a change that happens meanwhile, so a
// caller that asks then must not share it.
import type { ListedRow, Patch } from './patches.ts'

const MOST_IDS = 500
/** Timeout after which a request is repeated: one request that hangs must not block the list. */
const ANSWER_WITHIN_MS = 30_000

export interface RowSource<Row> {
  /** The current rows; null: not known. Absent: notifications do not name rows, and each one causes a read of the first page. */
  readonly read?: (
    ids: readonly string[],
    signal: AbortSignal,
  ) => Promise<readonly Patch<Row>[] | null>
  /**
   * The current first page, which may have rows that began during a gap in the notifications; null: not known. Ids are read again, because
   * the page does not say which rows match.
   */
  readonly readHead: (signal: AbortSignal) => Promise<readonly (string | Patch<Row>)[] | null>
}

export class RowReader<Row extends ListedRow> {
  readonly #waiting = new Set<string>()
  readonly #held = new Set<string>()
  #isHeadUnread = false
  #reading: AbortController | null = null

  /** Marks these rows as changed. */
  wait(ids: Iterable<string>): void {
    for (const id of ids) this.#waiting.add(id)
  }

  /** A row is shown as it will be, so what is read of it does not count until it is released. */
  hold(id: string): void {
    this.#held.add(id)
  }

  release(id: string): void {
    this.#held.delete(id)
    this.#waiting.add(id)
  }

  /** Something began or changed that no notification names. */
  lookAtHead(): void {
    this.#isHeadUnread = true
  }

  /** After a gap in the notifications: what is listed may have changed, and something may have begun. What was asked before knows of neither. */
  lookAgain(listed: Iterable<string>): void {
    this.wait(listed)
    this.#isHeadUnread = true
    this.giveUp()
  }

  giveUp(): void {
    this.#reading?.abort()
    this.#reading = null
  }

  /** Reads what waits, unless something is being read; null: there is nothing new. */
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
    // Right after a gap the way to the server may not be there yet.
    if (head === null || signal.aborted) {
      this.#isHeadUnread = true
      return []
    }
    this.wait(head.filter((one) => typeof one === 'string'))
    return head.filter((one) => typeof one !== 'string')
  }
}
