'use client'
import { type ConfigChange, changesAsText, diffConfigs } from '@signalbox/core/views'
// The draft against what a chosen environment runs now: in words, and side by side.
import { parseConfigText } from '@signalbox/wire'
import dynamic from 'next/dynamic'
import { useMemo } from 'react'
import type { PublishTarget } from '@/server/services/drafts.ts'
import { ChangeList } from '../configs/change-list.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Select } from '../ui/select.tsx'
import { Skeleton } from '../ui/states.tsx'
import type { Analysis } from './analysis.ts'
import { toEditorText } from './use-draft.ts'

const TextDiff = dynamic(() => import('./text-diff.tsx').then((module) => module.TextDiff), {
  ssr: false,
  loading: () => <Skeleton className="h-40" />,
})

/** Null while the draft is not a valid config. */
export function useChanges(
  analysis: Analysis,
  liveText: string | null,
): readonly ConfigChange[] | null {
  const { document } = analysis
  return useMemo(() => {
    if (document === null) return null
    const live = liveText === null ? null : parseConfigText(liveText)
    return diffConfigs(live?.ok === true ? live.document : null, document)
  }, [document, liveText])
}

export function DiffPanel({
  analysis,
  target,
  targets,
  onTarget,
}: {
  readonly analysis: Analysis
  readonly target: PublishTarget
  readonly targets: readonly PublishTarget[]
  readonly onTarget: (name: string) => void
}) {
  const { live, name } = target
  const changes = useChanges(analysis, live?.text ?? null)
  const isSame = live !== null && toEditorText(live.text) === analysis.text
  return (
    <div className="flex h-full flex-col gap-4 overflow-y-auto p-3">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="font-semibold text-h2">Draft vs</h2>
        <Select
          label="Compare with"
          value={name}
          options={targets.map((each) => ({
            value: each.name,
            label: `${each.name} · ${each.live === null ? 'nothing live' : `v${each.live.number}`}`,
          }))}
          onChange={onTarget}
        />
        {changes !== null && (
          <CopyButton text={changesAsText(changes)} label="Copy the changes as text" />
        )}
        <CopyButton text={analysis.text} label="Copy the whole JSON" />
      </div>
      {isSame && <p className="text-text-2">The draft is what {name} runs.</p>}
      {!isSame && changes !== null && <ChangeList changes={changes} />}
      {changes === null && (
        <p className="text-text-2">
          The draft is not valid, so its changes cannot be put into words. The texts are compared
          below.
        </p>
      )}
      {live === null && (
        <p className="text-text-2">Nothing is live in {name}, so everything is new.</p>
      )}
      {live !== null && !isSame && (
        <section aria-label="Side by side" className="rounded-card border border-border bg-surface">
          <div className="grid grid-cols-2 border-border border-b text-small text-text-2">
            <span className="px-3 py-1">
              v{live.number}, live in {name}
            </span>
            <span className="px-3 py-1">Draft</span>
          </div>
          <TextDiff
            before={toEditorText(live.text)}
            after={analysis.text}
            labels={[`v${live.number}, live in ${name}`, 'Draft']}
          />
        </section>
      )}
    </div>
  )
}
