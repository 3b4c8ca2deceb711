'use client'
// Merges the newest text, so that no keystroke is lost.
import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import { toast } from '@/components/ui/toast.tsx'
import { type Choices, type Merge, mergeTexts } from './merge-texts.ts'
import { type MergedNews, mergedSentence } from './merged-news.ts'
import type { EditorDocument } from './use-document.ts'
import type { DraftSession } from './use-draft.ts'

export interface Merging {
  readonly open: boolean
  /** Conflicts to decide; null: the whole text is in conflict. */
  readonly merge: Merge | null
  readonly choose: (choices: Choices) => void
  /** Latest changes taken from the other user; null: none, or dismissed. */
  readonly note: MergedNews | null
  readonly dismiss: () => void
}

export interface MergingOf {
  readonly session: DraftSession
  readonly doc: EditorDocument
  readonly showPlace: (place: string) => void
}

export function useMerging({ session: { state, saver }, doc, showPlace }: MergingOf): Merging {
  const [note, setNote] = useState<MergedNews | null>(null)
  const conflict = state.kind === 'conflict' ? state : null
  const merge = useMemo(() => {
    if (conflict === null || conflict.base === null || conflict.theirs === null) return null
    return mergeTexts({ base: conflict.base, mine: doc.text, theirs: conflict.theirs.text })
  }, [conflict, doc.text])
  const apply = (choices: Choices): void => {
    if (conflict === null || conflict.base === null || conflict.theirs === null) return
    const { base, theirs } = conflict
    const made = mergeTexts({ base, mine: doc.newest(), theirs: theirs.text }, choices)
    // The text changed meanwhile and has new conflicts, which the user must decide first.
    if (made === null || made.conflicts.some(({ place }) => !choices.has(place))) return
    doc.replaceAll(made.text)
    saver.resolve(made.text)
    if (made.taken.length > 0) {
      setNote({ who: theirs.updatedByName ?? 'Another user', places: made.taken })
    }
  }
  const isClear = merge !== null && merge.conflicts.length === 0
  const applyAll = useEffectEvent(() => apply(new Map()))
  useEffect(() => {
    if (isClear) applyAll()
  }, [isClear])
  const show = useEffectEvent((news: MergedNews) => showPlace(news.places[0] ?? ''))
  useEffect(() => {
    if (note === null) return
    toast(mergedSentence(note), { action: { label: 'Show', onClick: () => show(note) } })
  }, [note])
  return {
    open: conflict !== null && !isClear,
    merge,
    choose: apply,
    note,
    dismiss: () => setNote(null),
  }
}
