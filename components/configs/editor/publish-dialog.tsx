'use client'
import { digestOf } from '@signalbox/wire'
// Review and publish: what is missing, what changes, and after the publish how far it has got. The URL holds the target.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { ChangeList } from '@/components/kit/diff/change-list.tsx'
import { JsonDifference } from '@/components/kit/diff/json-difference.tsx'
import { type Gate, gatesOf, headline } from '@/components/releases/gates.ts'
import type { Reach } from '@/components/releases/reach-fields.tsx'
import {
  mayRelease,
  Planned,
  ReleaseBody,
  type ReleaseForm,
  useReleaseForm,
  wordsOf,
} from '@/components/releases/release-form.tsx'
import { releaseText } from '@/components/releases/release-text.ts'
import { Released } from '@/components/releases/released.tsx'
import { useReview } from '@/components/releases/use-review.ts'
import { useReleaseRight } from '@/components/shell/release-right.ts'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Field } from '@/components/ui/input.tsx'
import { Select } from '@/components/ui/select.tsx'
import type { PublishTarget, Workbench } from '@/server/configs/drafts.ts'
import type { MadeRelease, ReleaseResult } from '@/server/releases/release-outcome.ts'
import type { ScheduleResult } from '@/server/releases/schedules.ts'
import type { Analysis } from './analysis.ts'
import { useChanges } from './diff-panel.tsx'
import { type DraftSession, toEditorText } from './use-draft.ts'

export interface PublishDialogProps {
  readonly workbench: Workbench
  readonly analysis: Analysis
  readonly session: DraftSession
  readonly target: PublishTarget
  readonly onTarget: (name: string | null) => void
  /** Rests the draft on what the target runs, once its difference is in view here. */
  readonly onUpdateDraft: (version: number) => Promise<void>
  readonly onShowProblem: () => void
  readonly onBacktest: () => void
}

export function PublishDialog(props: PublishDialogProps) {
  const { workbench, target, onTarget } = props
  const [released, setReleased] = useState<{ release: MadeRelease; reach: Reach } | null>(null)
  const next = workbench.targets.find(({ position }) => position === target.position + 1)
  return released === null || released.release.environment !== target.name ? (
    <Review
      key={target.name}
      {...props}
      onReleased={(release, reach) => setReleased({ release, reach })}
    />
  ) : (
    <Released
      {...released}
      prompt={workbench}
      next={next?.name ?? null}
      onPromote={onTarget}
      onClose={() => onTarget(null)}
    />
  )
}

type OnReleased = (release: MadeRelease, reach: Reach) => void

function usePublish(props: PublishDialogProps, onReleased: OnReleased) {
  const { workbench, session, target } = props
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (form: ReleaseForm): Promise<ReleaseResult | ScheduleResult> => {
      const seen = await session.saver.flush()
      if (seen === null) throw new Error('The draft could not be saved, so it was not published.')
      const place = { ns: workbench.ns, key: workbench.key, environment: target.name }
      const request = { ...place, ...wordsOf(form) }
      const draft = { draftId: seen.id, revision: seen.revision }
      if (!form.time.isLater) return await client.releases.publish.mutate({ ...request, ...draft })
      if (form.due === null) throw new Error('Choose a time.')
      const subject = { kind: 'draft' as const, ...draft }
      return await client.schedules.create.mutate({ ...request, ...form.due, subject })
    },
    onSuccess: async (result, { reach }) => {
      if (result.ok && 'release' in result) onReleased(result.release, reach)
      await queries.invalidateQueries({ queryKey: trpc.drafts.open.queryKey() })
      for (const { pathKey } of [
        trpc.configs,
        trpc.schedules,
        trpc.releases,
        trpc.stagedRollouts,
      ]) {
        await queries.invalidateQueries({ queryKey: pathKey() })
      }
    },
  })
}

/** The gates of this draft for this target, as the text stands. */
function useGates(props: PublishDialogProps, form: ReleaseForm) {
  const { workbench, analysis, session, target } = props
  const { isAllowed: mayPublish, reason: mayNotBecause } = useReleaseRight(target.name)
  const { ns, key, draft, base } = workbench
  const { document, errors, text } = analysis
  const digest = useMemo(
    () => (document === null ? null : digestOf(JSON.parse(text))),
    [document, text],
  )
  const subject = async () => {
    const seen = await session.saver.flush()
    return seen === null
      ? null
      : { kind: 'draft' as const, draftId: seen.id, revision: seen.revision }
  }
  const place = { ns, key, environment: target.name }
  const content = errors === 0 ? digest : null
  const { review, problem } = useReview({ place, kind: 'publish', subject, content })
  const { kind } = session.state
  const { words, acknowledged, time } = form
  const gates = gatesOf({
    ...{ target, mayPublish, mayNotBecause, digest, ...words, errors, acknowledged },
    ...{ standing: review?.gates ?? null, isLater: time.isLater },
    canSave: kind === 'clean' || kind === 'unsaved' || kind === 'saving',
    baseVersion: draft === null ? (base?.number ?? null) : draft.baseVersion,
  })
  return { gates, place, review, problem, subject }
}

function Review(props: PublishDialogProps & { readonly onReleased: OnReleased }) {
  const { workbench, target, onTarget, onReleased } = props
  const live = target.live?.number ?? null
  const form = useReleaseForm({ environment: target.name, live })
  const judged = useGates(props, form)
  const publish = usePublish(props, onReleased)
  const { gates, problem, review } = judged
  const place = target.name
  const what = review === null ? null : `v${review.version}`
  const name = `${workbench.ns}/${workbench.key}`
  const close = () => onTarget(null)
  if (publish.data?.ok === true && form.due !== null) {
    return (
      <Dialog
        open
        onOpenChange={close}
        title={`Planned for ${target.name}`}
        description={name}
        actions={<Button onClick={close}>Close</Button>}
      >
        <Planned what="This text" environment={target.name} dueAt={form.due.dueAt} />
      </Dialog>
    )
  }
  const refused = publish.data?.ok === false ? publish.data.message : publish.error?.message
  return (
    <Dialog
      open
      wide
      onOpenChange={close}
      title={headline(gates, target.name)}
      description={`${name}, draft → ${target.name}`}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            variant="primary"
            disabled={!mayRelease(form, gates) || publish.isPending}
            onClick={() => publish.mutate(form)}
          >
            {publish.isPending ? 'Publishing' : releaseText(form, { verb: 'Publish', what, place })}
          </Button>
        </>
      }
    >
      <ReleaseBody
        {...judged}
        {...{ form, live }}
        demands={target}
        above={<TargetChoice {...props} />}
        actionOf={(gate) => editorAction(props, gate)}
        problems={[problem, refused]}
      >
        <Changes {...props} />
      </ReleaseBody>
    </Dialog>
  )
}

function TargetChoice({ workbench, target, onTarget }: PublishDialogProps) {
  return (
    <Field label="Environment">
      {({ id }) => (
        <Select
          id={id}
          label="Environment"
          value={target.name}
          options={workbench.targets.map(({ name }) => ({ value: name, label: name }))}
          onChange={onTarget}
        />
      )}
    </Field>
  )
}

function Changes({ analysis, target }: PublishDialogProps) {
  const { live } = target
  const changes = useChanges(analysis, live?.text ?? null)
  return (
    <section aria-label="Changes" className="flex flex-col gap-2">
      <h3 className="font-semibold text-h2">
        Changes in {target.name}
        {changes === null ? '' : ` · ${changes.length}`}
      </h3>
      {changes === null ? (
        <p className="text-text-2">The draft is not valid, so its changes cannot be described.</p>
      ) : (
        <ChangeList changes={changes} />
      )}
      <JsonDifference
        before={live === null ? '' : toEditorText(live.text)}
        after={analysis.text}
        labels={[live === null ? 'nothing' : `v${live.number}`, 'Draft']}
      />
    </section>
  )
}

/** What only the editor can do about a gate; null leaves it to the server's. */
function editorAction(props: PublishDialogProps, gate: Gate): ReactNode {
  const { target, onUpdateDraft, onShowProblem, onBacktest } = props
  if (!gate.passed && gate.id === 'valid') {
    return <Button onClick={onShowProblem}>Go to the first</Button>
  }
  const isTested = gate.passed && gate.isOpen !== true
  if ((gate.id === 'backtest' || gate.id === 'cases') && !isTested) {
    return <Button onClick={onBacktest}>Open backtest</Button>
  }
  const { live } = target
  if (gate.passed || gate.id !== 'base' || live === null) return null
  return (
    <Button onClick={() => void onUpdateDraft(live.number)}>Update draft to v{live.number}</Button>
  )
}
