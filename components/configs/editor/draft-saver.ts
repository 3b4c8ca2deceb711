// Saves a draft while the user types. States: `clean` (nothing typed since the last save), `unsaved` (waiting for a pause), `saving`,
// `offline` (the server cannot be reached; retries), `refused` (the server gave a reason; retries after the next change), `conflict`
// (another user saved; waits for a decision). Invariants: at most one save is in progress; a text that the server does not have is kept in
// this browser; no save overwrites a revision that the user has not seen.
import type { DraftSave, DraftView, SaveResult } from '@/server/configs/drafts.ts'

export type SaveState =
  | { readonly kind: 'clean'; readonly savedAt: number | null }
  | { readonly kind: 'unsaved' }
  | { readonly kind: 'saving' }
  /** `kept`: this browser stores the text; false: its storage is full or disabled. */
  | { readonly kind: 'offline'; readonly kept: boolean }
  | { readonly kind: 'refused'; readonly message: string; readonly kept: boolean }
  /** `base`: common ancestor of both texts; null: unknown. `theirs` null: the other user discarded the draft. */
  | { readonly kind: 'conflict'; readonly base: string | null; readonly theirs: DraftView | null }

export type Seen = DraftSave['seen']

export interface UnsavedText {
  readonly text: string
  /** The server's text at `seen`, base of a later merge; null: unknown. */
  readonly base: string | null
  readonly seen: Seen
}

export interface DraftSaverOptions {
  readonly text: string
  /** False: `text` is newer than `seen`, so it cannot be the base of a merge. Absent: true. */
  readonly isBase?: boolean
  readonly seen: Seen
  /** Rejects if the server cannot be reached; rejects with `Refused` if it refuses. */
  readonly save: (text: string, seen: Seen) => Promise<SaveResult>
  /** Stores the text in this browser until the server has it; null removes it. Returns false if the browser cannot store it. */
  readonly keep: (unsaved: UnsavedText | null) => boolean
}

/** The server refuses this text for good: retrying does not help. */
export class Refused extends Error {}

const PAUSE_MS = 600
const RETRY_MS = 3_000

export interface DraftSaver {
  readonly state: () => SaveState
  /** Revision on the server; null: nothing is saved yet. */
  readonly seen: () => Seen
  readonly subscribe: (listener: () => void) => () => void
  readonly change: (text: string) => void
  /** Saves now. Resolves with the saved revision; null: the text could not be saved. */
  readonly flush: () => Promise<Seen>
  readonly keepMine: () => void
  readonly resolve: (text: string) => void
  readonly takeTheirs: () => string | null
  /** Stops the timers; unsaved text stays in this browser. */
  readonly stop: () => void
}

export function createDraftSaver(options: DraftSaverOptions): DraftSaver {
  const { save } = options
  const listeners = new Set<() => void>()
  let current = options.text
  let saved = options.text
  let seen = options.seen
  let isBase = options.isBase ?? true
  let state: SaveState = { kind: 'clean', savedAt: null }
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: Promise<void> | null = null
  let kept = true

  const keep = (text: string | null): void => {
    const base = isBase ? saved : null
    kept = options.keep(text === null ? null : { text, base, seen })
  }
  const enter = (next: SaveState): void => {
    state = next
    for (const listener of listeners) listener()
  }
  const plan = (ms: number): void => {
    clearTimeout(timer)
    timer = setTimeout(() => void run(), ms)
  }
  const settle = (result: SaveResult, sent: string): void => {
    if (!result.ok && result.current?.text === sent) {
      // The response to an earlier attempt was lost: the server has exactly this text.
      const { id, revision, updatedAt } = result.current
      settle({ ok: true, id, revision, savedAt: updatedAt }, sent)
      return
    }
    if (!result.ok) {
      enter({ kind: 'conflict', base: isBase ? saved : null, theirs: result.current })
      return
    }
    seen = { id: result.id, revision: result.revision }
    saved = sent
    isBase = true
    if (current !== sent) {
      keep(current)
      enter({ kind: 'unsaved' })
      plan(0)
      return
    }
    keep(null)
    enter({ kind: 'clean', savedAt: result.savedAt })
  }
  const fail = (error: unknown): void => {
    if (error instanceof Refused) enter({ kind: 'refused', message: error.message, kept })
    else {
      enter({ kind: 'offline', kept })
      plan(RETRY_MS)
    }
  }
  const run = (): Promise<void> => {
    clearTimeout(timer)
    if (running !== null) return running
    if (state.kind === 'conflict' || current === saved) return Promise.resolve()
    const sent = current
    enter({ kind: 'saving' })
    running = save(sent, seen)
      .then((result) => settle(result, sent), fail)
      .finally(() => {
        running = null
      })
    return running
  }

  return {
    state: () => state,
    seen: () => seen,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    change(text) {
      if (text === current) return
      current = text
      keep(text === saved ? null : text)
      if (state.kind === 'conflict' || state.kind === 'saving') return
      if (text === saved) {
        clearTimeout(timer)
        enter({ kind: 'clean', savedAt: null })
        return
      }
      enter({ kind: 'unsaved' })
      plan(PAUSE_MS)
    },
    async flush() {
      await running
      // Typing may continue during a save; a second round sends the newest text.
      await run()
      await run()
      return current === saved ? seen : null
    },
    resolve(text) {
      if (state.kind !== 'conflict') return
      current = text
      this.keepMine()
    },
    keepMine() {
      if (state.kind !== 'conflict') return
      const { theirs } = state
      isBase = theirs !== null
      seen = theirs === null ? null : { id: theirs.id, revision: theirs.revision }
      // The server has the other user's text; an equal text needs no save.
      saved = theirs?.text ?? '\0'
      keep(current === saved ? null : current)
      enter(
        current === saved
          ? { kind: 'clean', savedAt: theirs?.updatedAt ?? null }
          : { kind: 'unsaved' },
      )
      // Deferred: a listener may resolve the conflict while the save that caused it is still in progress.
      plan(0)
    },
    takeTheirs() {
      if (state.kind !== 'conflict' || state.theirs === null) return null
      const { theirs } = state
      seen = { id: theirs.id, revision: theirs.revision }
      isBase = true
      saved = theirs.text
      current = theirs.text
      keep(null)
      enter({ kind: 'clean', savedAt: theirs.updatedAt })
      return theirs.text
    },
    stop() {
      clearTimeout(timer)
    },
  }
}
