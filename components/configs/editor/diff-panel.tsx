'use client'
import { isJsonObject, type JsonObject } from '@signalbox/core'
import { type ConfigChange, changesAsText } from '@signalbox/core/analysis'
import { parseAsStringLiteral, useQueryState } from 'nuqs'
import { useMemo } from 'react'
import { ChangeList } from '@/components/kit/diff/change-list.tsx'
import { minimalChanges } from '@/components/kit/diff/minimal-changes.ts'
import { SideBySide } from '@/components/kit/diff/side-by-side.tsx'
import { CopyButton } from '@/components/ui/copy.tsx'
import { ScrollBox } from '@/components/ui/scroll-box.tsx'
import { Select } from '@/components/ui/select.tsx'
import type { PublishTarget } from '@/server/configs/drafts.ts'
import type { Analysis } from './document/analysis.ts'
import { useChanges } from './use-document.ts'
import { toEditorText } from './use-draft.ts'

const LOOKS = [
  { value: 'words', label: 'in words' },
  { value: 'side', label: 'side by side' },
  { value: 'json', label: 'as JSON' },
] as const

const LOOK_NAMES = ['words', 'side', 'json'] as const

/** Null: one of the texts is no JSON object. */
function minimalText(before: string | null, after: string): string | null {
  const [old, now] = [before === null ? {} : readObject(before), readObject(after)]
  return old === null || now === null ? null : JSON.stringify(minimalChanges(old, now), null, 2)
}

function readObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : null
  } catch {
    // Texts that are not JSON are compared as plain text.
    return null
  }
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
  const [look, setLook] = useQueryState('as', parseAsStringLiteral(LOOK_NAMES).withDefault('words'))
  const { live, name } = target
  const changes = useChanges(analysis, live?.text ?? null)
  const isSame = live !== null && toEditorText(live.source) === analysis.text
  const minimal = useMemo(
    () => minimalText(live?.source ?? null, analysis.text),
    [live?.source, analysis.text],
  )
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
        <Select
          label="Show the changes"
          value={look}
          options={LOOKS}
          onChange={(next) => void setLook(next)}
        />
        <span className="ml-auto flex items-center gap-1 text-small text-text-2">
          copy
          {changes !== null && (
            <CopyText text={changesAsText(changes)} label="text" what="the changes as text" />
          )}
          {minimal !== null && (
            <CopyText text={minimal} label="minimal JSON" what="the changes as JSON" />
          )}
          <CopyText text={analysis.text} label="full JSON" what="the whole JSON" />
        </span>
      </div>
      {isSame && <p className="text-text-2">The draft is what {name} runs.</p>}
      {live === null && (
        <p className="text-text-2">Nothing is live in {name}, so everything is new.</p>
      )}
      {!isSame && look === 'words' && <InWords changes={changes} />}
      {!isSame && look === 'side' && (
        <SideBySide
          before={live === null ? '' : toEditorText(live.source)}
          after={analysis.text}
          labels={[
            live === null ? `Nothing in ${name}` : `v${live.number}, live in ${name}`,
            'Draft',
          ]}
        />
      )}
      {!isSame && look === 'json' && <AsJson minimal={minimal} />}
    </div>
  )
}

function InWords({ changes }: { readonly changes: readonly ConfigChange[] | null }) {
  if (changes !== null) return <ChangeList changes={changes} />
  return (
    <p className="text-text-2">
      The draft is not valid, so its changes cannot be described. Compare the texts side by side.
    </p>
  )
}

function AsJson({ minimal }: { readonly minimal: string | null }) {
  if (minimal === null) {
    return (
      <p className="text-text-2">The draft is not valid JSON. Compare the texts side by side.</p>
    )
  }
  return (
    <ScrollBox
      label="Changes as JSON"
      className="overflow-x-auto rounded-card border border-border bg-surface p-3"
    >
      <pre className="font-mono text-mono">{minimal}</pre>
    </ScrollBox>
  )
}

function CopyText({
  text,
  label,
  what,
}: {
  readonly text: string
  readonly label: string
  readonly what: string
}) {
  return (
    <span className="flex items-center">
      {label} <CopyButton text={text} label={`Copy ${what}`} />
    </span>
  )
}
