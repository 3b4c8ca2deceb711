'use client'
import { digestOf } from '@signalbox/wire'
// Review and publish: what is missing, what changes, and after the publish how far it has got. The URL holds the target.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, OctagonPause } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { PublishTarget, Workbench } from '@/server/services/drafts.ts'
import type { ReleaseResult } from '@/server/services/release-outcome.ts'
import { AdoptionView, useAdoption } from '../configs/adoption-view.tsx'
import { ChangeList } from '../configs/change-list.tsx'
import { NO_WORDS, ReleaseFields } from '../configs/release-fields.tsx'
import { useReleaseRight } from '../settings/release-right.ts'
import { useTRPC, useTRPCClient } from '../trpc-provider.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Select } from '../ui/select.tsx'
import type { Analysis } from './analysis.ts'
import { useChanges } from './diff-panel.tsx'
import { type Gate, gatesOf, headline } from './gates.ts'
import type { DraftSession } from './use-draft.ts'

export interface PublishDialogProps {
  readonly workbench: Workbench
  readonly analysis: Analysis
  readonly session: DraftSession
  readonly target: PublishTarget
  readonly onTarget: (name: string | null) => void
  /** Rests the draft on what the target runs, once its difference is in view here. */
  readonly onUpdateDraft: (version: number) => Promise<void>
  readonly onShowProblem: () => void
}

export function PublishDialog(props: PublishDialogProps) {
  const { workbench, target, onTarget } = props
  const [released, setReleased] = useState<{ id: string; environment: string } | null>(null)
  const close = () => onTarget(null)
  const done = released !== null && released.environment === target.name ? released : null
  return done === null ? (
    <Review
      key={target.name}
      {...props}
      onReleased={(id) => setReleased({ id, environment: target.name })}
    />
  ) : (
    <Dialog
      open
      onOpenChange={close}
      title={`${workbench.ns}/${workbench.key} → ${target.name}`}
      actions={<AfterRelease {...props} releaseId={done.id} onClose={close} />}
    >
      <AdoptionView releaseId={done.id} />
    </Dialog>
  )
}

function AfterRelease({
  workbench,
  target,
  onTarget,
  releaseId,
  onClose,
}: PublishDialogProps & { readonly releaseId: string; readonly onClose: () => void }) {
  const { data } = useAdoption(releaseId)
  const next = workbench.targets.find(({ position }) => position === target.position + 1)
  return (
    <>
      <Button onClick={onClose}>Close</Button>
      {next !== undefined && (
        <Button
          variant={data?.status === 'live' ? 'primary' : 'secondary'}
          onClick={() => onTarget(next.name)}
        >
          Promote to {next.name}
        </Button>
      )}
    </>
  )
}

function usePublish(props: PublishDialogProps, onReleased: (id: string) => void) {
  const { workbench, session, target } = props
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (words: { note: string; typedName: string }): Promise<ReleaseResult> => {
      const seen = await session.saver.flush()
      if (seen === null) throw new Error('The draft could not be saved, so it was not published.')
      return await client.releases.publish.mutate({
        ...{ ns: workbench.ns, key: workbench.key, environment: target.name },
        ...{ draftId: seen.id, revision: seen.revision },
        note: words.note.trim() === '' ? null : words.note,
        typedName: words.typedName === '' ? null : words.typedName,
      })
    },
    onSuccess: async (result) => {
      if (result.ok) onReleased(result.release.id)
      await queries.invalidateQueries({ queryKey: trpc.drafts.open.queryKey() })
      await queries.invalidateQueries({ queryKey: trpc.configs.pathKey() })
    },
  })
}

function Review(props: PublishDialogProps & { readonly onReleased: (id: string) => void }) {
  const { workbench, analysis, session, target, onTarget, onReleased } = props
  const { isAllowed: mayPublish, reason: mayNotBecause } = useReleaseRight(target.name)
  const [words, setWords] = useState(NO_WORDS)
  const publish = usePublish(props, onReleased)
  const { ns, key, draft, base, targets } = workbench
  const changes = useChanges(analysis, target.live?.text ?? null)
  const digest = useMemo(
    () => (analysis.document === null ? null : digestOf(JSON.parse(analysis.text))),
    [analysis],
  )
  const { kind } = session.state
  const gates = gatesOf({
    ...{ target, mayPublish, mayNotBecause, digest, ...words },
    canSave: kind === 'clean' || kind === 'unsaved' || kind === 'saving',
    errors: analysis.errors,
    baseVersion: draft === null ? (base?.number ?? null) : draft.baseVersion,
  })
  const isReady = gates.every(({ passed }) => passed)
  const refused = publish.data?.ok === false ? publish.data.message : publish.error?.message
  return (
    <Dialog
      open
      wide
      onOpenChange={() => onTarget(null)}
      title={headline(gates, target.name)}
      description={`${ns}/${key}, draft → ${target.name}`}
      actions={
        <>
          <Button onClick={() => onTarget(null)}>Cancel</Button>
          <Button
            variant="primary"
            disabled={!isReady || publish.isPending}
            aria-label={`Publish to ${target.name}: ${ns}/${key}`}
            onClick={() => publish.mutate(words)}
          >
            {publish.isPending ? 'Publishing' : `Publish to ${target.name}`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <div className="flex items-center gap-2">
          <span className="text-small text-text-2">Environment</span>
          <Select
            label="Environment"
            value={target.name}
            options={targets.map(({ name }) => ({ value: name, label: name }))}
            onChange={onTarget}
          />
        </div>
        <GateList gates={gates} {...props} />
        <section aria-label="Changes" className="flex flex-col gap-2">
          <h3 className="font-semibold text-h2">
            Changes in {target.name}
            {changes === null ? '' : ` · ${changes.length}`}
          </h3>
          {changes === null ? (
            <p className="text-text-2">The draft is not valid, so its changes cannot be told.</p>
          ) : (
            <ChangeList changes={changes} />
          )}
        </section>
        <ReleaseFields demands={target} words={words} onChange={setWords} />
        {refused !== undefined && (
          <p role="alert" className="text-deny-fg">
            {refused}
          </p>
        )}
      </div>
    </Dialog>
  )
}

function GateList({
  gates,
  target,
  onUpdateDraft,
  onShowProblem,
}: PublishDialogProps & { readonly gates: readonly Gate[] }) {
  return (
    <ul aria-label="What a publish needs" className="flex flex-col gap-1">
      {gates.map(({ id, passed, label }) => (
        <li key={id} className="flex min-h-7 flex-wrap items-center gap-2">
          {passed ? (
            <CircleCheck size={14} className="text-allow-mark" aria-hidden />
          ) : (
            <OctagonPause size={14} className="text-blocked-mark" aria-hidden />
          )}
          <span className="sr-only">{passed ? 'passed' : 'missing'}: </span>
          <span className={passed ? 'text-text-2' : 'font-medium'}>{label}</span>
          {!passed && id === 'valid' && <Button onClick={onShowProblem}>Go to the first</Button>}
          {!passed && id === 'base' && target.live !== null && (
            <Button onClick={() => void onUpdateDraft(target.live?.number ?? 0)}>
              Update draft to v{target.live.number}
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
}
