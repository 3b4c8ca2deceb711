// Saves a draft while the user types. States: `clean` (nothing typed since the last save), `unsaved` (waiting for a pause), `saving`,
// `offline` (the server cannot be reached; retries), `refused` (the server gave a reason; retries after the next change), `conflict`
// (another user saved; waits for a decision). Invariants: at most one save is in progress; a text that the server does not have is kept in
// this browser; nothing overwrites a revision that the user has not seen.
import type { DraftSave, DraftView, SaveResult } from '@/server/configs/drafts.ts'

export type SaveState =
  | { readonly kind: 'clean'; readonly savedAt: number | null }
  | { readonly kind: 'unsaved' }
  | { readonly kind: 'saving' }
  /** `kept`: this browser holds the text; false when its storage is full or switched off. */
  | { readonly kind: 'offline'; readonly kept: boolean }
  | { readonly kind: 'refused'; readonly message: string; readonly kept: boolean }
  /** `base`: the text that both began from; null when it is not known. `theirs` null: they discarded the draft. */
  | { readonly kind: 'conflict'; readonly base: string | null; readonly theirs: DraftView | null }

export type Seen = DraftSave['seen']

export interface UnsavedText {
  readonly text: string
  /** Server text at `seen`, the base for a later merge; null when it is not known. */
  readonly base: string | null
  readonly seen: Seen
}

export interface DraftSaverOptions {
  /** The text as the server had it at `seen`. */
  readonly text: string
  /** False: `text` is newer than `seen`, so it is no base of a merge. Absent: true. */
  readonly isBase?: boolean
  readonly seen: Seen
  /** Rejects when the server cannot be reached; `Refused` when it answered no. */
  readonly save: (text: string, seen: Seen) => Promise<SaveResult>
  /** Keeps the text in this browser until the server has it; null removes it. False: the browser cannot store it. */
  readonly keep: (unsaved: UnsavedText | null) => boolean
}

/** The server answered and will answer the same again: trying again does not help. */
export class Refused extends Error {}

const PAUSE_MS = 600
const RETRY_MS = 3_000

export interface DraftSaver {
  readonly state: () => SaveState
  /** State on the server: null before the first save. */
  readonly seen: () => Seen
  readonly subscribe: (listener: () => void) => () => void
  readonly change: (text: string) => void
  /** Saves now. Resolves with what the server has then, or null when the text could not be saved. */
  readonly flush: () => Promise<Seen>
  /** Ends a conflict: my text goes over theirs, which I have seen; or theirs is taken and returned. */
  readonly keepMine: () => void
  /** Ends it with a text that holds what was chosen of both. */
  readonly resolve: (text: string) => void
  readonly takeTheirs: () => string | null
  /** Stops timers; what is unsaved stays in this browser. */
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
      // Typing may continue during a save; two rounds send the newest text.
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
      // The server now holds their text; an equal text needs no save.
      saved = theirs?.text ?? '\0'
      keep(current === saved ? null : current)
      enter(
        current === saved
          ? { kind: 'clean', savedAt: theirs?.updatedAt ?? null }
          : { kind: 'unsaved' },
      )
      // Not now: a listener may resolve the conflict while the save that caused it is still in progress.
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
