'use client'
// CodeMirror only knows "\n", so a text with "\r\n" gets its line ends back when it is saved.
import { withoutSchemaAddress } from '@signalbox/wire'
import { TRPCClientError } from '@trpc/client'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import type { Workbench } from '@/server/configs/drafts.ts'
import type { AppRouter } from '@/server/trpc/root.ts'
import {
  createDraftSaver,
  type DraftSaver,
  Refused,
  type SaveState,
  type UnsavedText,
} from './draft-saver.ts'

/** Text that the server does not have yet, stored in this browser under the config's id. */
interface KeptText extends UnsavedText {
  /** Epoch ms. */
  readonly at: number
}

const toStorageKey = (configId: string) => `sb-draft:${configId}`

function isKept(value: unknown): value is KeptText {
  return (
    typeof value === 'object' &&
    value !== null &&
    'text' in value &&
    typeof value.text === 'string' &&
    'at' in value &&
    typeof value.at === 'number' &&
    'seen' in value &&
    'base' in value &&
    (value.base === null || typeof value.base === 'string')
  )
}

function readKept(configId: string): KeptText | null {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(toStorageKey(configId)) ?? 'null')
    return isKept(value) ? value : null
  } catch {
    // Storage is disabled, or holds a value of another form.
    return null
  }
}

/** Returns false if the browser cannot store it: storage is full or disabled. */
function keepText(configId: string, kept: KeptText | null): boolean {
  const name = toStorageKey(configId)
  if (kept === null) return stored(() => localStorage.removeItem(name))
  const isHeld = stored(() => localStorage.setItem(name, JSON.stringify(kept)))
  // If storage is full, the base is dropped to make room for the text: the text matters more, and an older text must not remain.
  return (
    isHeld ||
    stored(() => {
      localStorage.removeItem(name)
      localStorage.setItem(name, JSON.stringify({ ...kept, base: null }))
    })
  )
}

function stored(write: () => void): boolean {
  try {
    write()
    return true
  } catch {
    return false
  }
}

const MAX_CHARACTERS = 4 * 1024 * 1024

export interface DraftSession {
  readonly saver: DraftSaver
  readonly state: SaveState
  readonly initialText: string
  /** Unsaved text from an earlier visit; null: the server has everything. */
  readonly restored: KeptText | null
}

export function toEditorText(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
}

/** Without an answer the server is unreachable, and the saver retries. */
function asRefusal(error: unknown): unknown {
  if (!(error instanceof TRPCClientError)) return error
  // The router's type determines the data of its errors.
  const { data, message } = error as TRPCClientError<AppRouter>
  const status = data?.httpStatus ?? 500
  return status < 500 && status !== 408 && status !== 429 ? new Refused(message) : error
}

export function useDraft(workbench: Workbench): DraftSession {
  const client = useTRPCClient()
  const [session] = useState(() => open(workbench, client))
  const { saver } = session
  const state = useSyncExternalStore(saver.subscribe, saver.state, saver.state)
  const { configId } = workbench
  useEffect(() => {
    const { restored, isKeptObsolete } = session
    if (isKeptObsolete) keepText(configId, null)
    if (restored !== null) saver.change(restored.text)
    const onOnline = () => void saver.flush()
    window.addEventListener('online', onOnline)
    return () => {
      window.removeEventListener('online', onOnline)
      void saver.flush()
    }
  }, [session, saver, configId])
  const isSaved = state.kind === 'clean'
  useEffect(() => {
    if (isSaved) return
    const warn = (event: BeforeUnloadEvent) => {
      event.preventDefault()
      session.leave()
    }
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [session, isSaved])
  return { ...session, state }
}

function open(workbench: Workbench, client: ReturnType<typeof useTRPCClient>) {
  const { configId, ns, key, draft, base } = workbench
  const stored = draft?.text ?? base?.text ?? ''
  const lineEnd = stored.includes('\r\n') ? '\r\n' : '\n'
  const text = toEditorText(stored)
  const kept = readKept(configId)
  const restored = kept !== null && kept.text !== text ? kept : null
  const isKeptObsolete = kept !== null && restored === null
  const seen = draft === null ? null : { id: draft.id, revision: draft.revision }
  const isSameDraft =
    seen !== null && restored?.seen?.id === seen.id && restored.seen.revision === seen.revision
  const under = restored === null || isSameDraft ? text : restored.base
  let isLeaving = false
  const saver: DraftSaver = createDraftSaver({
    text: under ?? text,
    seen: restored === null ? seen : restored.seen,
    isBase: under !== null,
    keep: (unsaved) => {
      // While the page is left, the text stays stored even if the save succeeds: the browser may restore a page from before that save.
      if (unsaved === null) return isLeaving || keepText(configId, null)
      isLeaving = false
      return keepText(configId, { ...unsaved, at: Date.now() })
    },
    save: async (unsaved, over) => {
      if (unsaved.length > MAX_CHARACTERS) {
        throw new Refused(
          'The text is longer than 4 MiB, so it stays in this browser. A config has at most 1 MiB.',
        )
      }
      const result = await client.drafts.save
        .mutate({
          ns,
          key,
          text: lineEnd === '\n' ? unsaved : unsaved.replaceAll('\n', lineEnd),
          seen: over,
          baseVersion: base?.number ?? null,
        })
        .catch((error: unknown) => {
          throw asRefusal(error)
        })
      if (result.ok || result.current === null) return result
      const theirs = toEditorText(result.current.text)
      // The server removes `$schema`; without it, an answer that was lost would look like another user's text.
      const isOurs = theirs === withoutSchemaAddress(unsaved)
      return { ...result, current: { ...result.current, text: isOurs ? unsaved : theirs } }
    },
  })
  const leave = () => {
    isLeaving = true
  }
  return { saver, restored, isKeptObsolete, initialText: restored?.text ?? text, leave }
}
