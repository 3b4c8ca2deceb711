'use client'
// Updating the draft merges that version like another user's edits and makes it the draft's base.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { toast } from '@/components/ui/toast.tsx'
import type { LiveVersion, PublishTarget, Workbench } from '@/server/configs/drafts.ts'
import { type Choices, type Merge, mergeTexts } from './merge-texts.ts'
import type { EditorDocument } from './use-document.ts'
import { type DraftSession, toEditorText } from './use-draft.ts'

export interface Behind {
  readonly version: number
  readonly environment: string
  readonly release: LiveVersion['release']
  /** Conflicts to decide; null: none are open. */
  readonly merge: Merge | null
  readonly update: (choices: Choices) => Promise<void>
}

export interface BehindOf {
  readonly session: DraftSession
  readonly doc: EditorDocument
  /** Environment to publish to: the chosen one, else the first of the chain. */
  readonly target: PublishTarget | undefined
}

/** Null: the draft is based on the live version or a later one, or there is no draft, or nothing is live. */
export function useBehind(workbench: Workbench, { session, doc, target }: BehindOf): Behind | null {
  const client = useTRPCClient()
  const queries = useQueryClient()
  const trpc = useTRPC()
  const [isAsking, setAsking] = useState(false)
  const { ns, key, draft, draftBase } = workbench
  const live = target?.live ?? null
  if (draft === null || target === undefined || live === null) return null
  if (draft.baseVersion !== null && draft.baseVersion >= live.number) return null
  const merged = (mine: string, choices?: Choices) =>
    draftBase === null
      ? null
      : mergeTexts(
          { base: toEditorText(draftBase.text), mine, theirs: toEditorText(live.source) },
          choices,
        )
  const update = async (choices: Choices): Promise<void> => {
    const made = merged(doc.newest(), choices)
    if (made === null) {
      toast.error(
        `v${live.number} cannot be merged field by field: the draft is not valid JSON, or has no base version. Compare the two in the diff first.`,
      )
      return
    }
    const isOpen = made.conflicts.some(({ place }) => !choices.has(place))
    setAsking(isOpen)
    if (isOpen) return
    doc.replaceAll(made.text)
    session.saver.change(made.text)
    const seen = await session.saver.flush()
    if (seen === null) return
    await client.drafts.rebase.mutate({ ns, key, ...seen, baseVersion: live.number })
    await queries.invalidateQueries({ queryKey: trpc.drafts.open.queryKey() })
    const places = made.taken.length === 0 ? 'your changes were kept' : made.taken.join(', ')
    toast(`The draft is now based on v${live.number}: ${places}`)
  }
  const { number: version, release } = live
  const merge = isAsking ? merged(doc.text) : null
  return { version, environment: target.name, release, merge, update }
}
