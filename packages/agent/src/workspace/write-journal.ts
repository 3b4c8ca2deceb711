// Records which transaction wrote each file, so that a rollback changes no file that another one wrote (specs/library.md).
import type { FileStore, StoredFile } from './file-store.ts'

/** null: there is no file. */
type Content = StoredFile | null

interface Layer {
  readonly owner: object
  readonly content: Content
}

/** Oldest first, over the original content. The file has the content of the last layer. Each owner has at most one layer: its last write. */
interface History {
  readonly base: Content
  readonly layers: readonly Layer[]
}

export interface Rollback {
  readonly conflicts: readonly string[]
}

/** Invariant: a file has the last write of any transaction that was not rolled back, else its original content. */
export class WriteJournal {
  readonly #store: FileStore
  readonly #histories = new Map<string, History>()
  #queue: Promise<unknown> = Promise.resolve()

  constructor(store: FileStore) {
    this.#store = store
  }

  /** `owner` null: the write cannot be rolled back. `content` null: removes the file. */
  write(owner: object | null, path: string, content: Content): Promise<void> {
    return this.#serially(async () => {
      const known = this.#histories.get(path)
      const before = known ?? { base: await this.#store.load(path), layers: [] }
      await this.#put(path, content)
      if (owner === null) {
        this.#histories.delete(path)
        return
      }
      const others = before.layers.filter((layer) => layer.owner !== owner)
      const written = content === null ? null : await this.#store.load(path)
      this.#histories.set(path, {
        base: before.base,
        layers: [...others, { owner, content: written }],
      })
    })
  }

  commit(owner: object): Promise<void> {
    return this.#serially(async () => {
      for (const [path, { layers }] of [...this.#histories]) {
        const at = layers.findIndex((layer) => layer.owner === owner)
        const mine = layers[at]
        if (mine !== undefined)
          this.#keep(path, { base: mine.content, layers: layers.slice(at + 1) })
      }
    })
  }

  /** Restores every file that it can, then rejects if the store failed for any. */
  rollback(owner: object): Promise<Rollback> {
    return this.#serially(async () => {
      const conflicts: string[] = []
      const failures: unknown[] = []
      for (const [path, history] of [...this.#histories]) {
        try {
          if (!(await this.#takeBack(owner, path, history))) conflicts.push(path)
        } catch (error) {
          failures.push(error)
        }
      }
      if (failures.length > 0)
        throw new AggregateError(failures, 'Not every file could be restored.')
      return { conflicts }
    })
  }

  /** False: the file no longer has the content that the transaction wrote. */
  async #takeBack(owner: object, path: string, { base, layers }: History): Promise<boolean> {
    const at = layers.findIndex((layer) => layer.owner === owner)
    const mine = layers[at]
    if (mine === undefined) return true
    this.#keep(path, { base, layers: layers.toSpliced(at, 1) })
    if (at !== layers.length - 1) return true
    if (!isSame(await this.#store.load(path), mine.content)) return false
    await this.#put(path, layers[at - 1]?.content ?? (at === 0 ? base : null))
    return true
  }

  #keep(path: string, history: History): void {
    if (history.layers.length === 0) this.#histories.delete(path)
    else this.#histories.set(path, history)
  }

  #put(path: string, content: Content): Promise<void> {
    return content === null ? this.#store.remove(path) : this.#store.save(path, content)
  }

  #serially<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#queue.then(work)
    this.#queue = result.catch(() => undefined)
    return result
  }
}

function isSame(a: Content, b: Content): boolean {
  if (a === null || b === null) return a === b
  return a.mode === b.mode && Buffer.compare(a.bytes, b.bytes) === 0
}
