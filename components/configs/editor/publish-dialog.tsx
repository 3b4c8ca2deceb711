'use client'

import type { ConfigDocument } from '@signalbox/core'
import { computeDigest } from '@signalbox/wire'
import { type ReactNode, useMemo } from 'react'
import { ChangeList } from '@/components/kit/diff/change-list.tsx'
import { JsonDifference } from '@/components/kit/diff/json-difference.tsx'
import { objectAt } from '@/components/kit/diff/json-values.ts'
import type { ShownGate } from '@/components/releases/gates.ts'
import { ReleaseDialog } from '@/components/releases/release-dialog.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Field } from '@/components/ui/input.tsx'
import { Select } from '@/components/ui/select.tsx'
import type { PublishTarget, Workbench } from '@/server/configs/drafts.ts'
import type { Analysis } from './document/analysis.ts'
import { describeEnforced } from './shadow-places.ts'
import { useChanges } from './use-document.ts'
import { type DraftSession, toEditorText } from './use-draft.ts'

export interface PublishDialogProps {
  readonly workbench: Workbench
  readonly analysis: Analysis
  readonly session: DraftSession
  readonly target: PublishTarget
  readonly onTarget: (name: string | null) => void
  /** Called once the difference is shown here. */
  readonly onUpdateDraft: (version: number) => Promise<void>
  readonly onShowProblem: () => void
  readonly onBacktest: () => void
}

/** Undefined: the new version enforces nothing that the version in force only records, or still has shadow mode. */
function describeOutcome(
  { name, live }: PublishTarget,
  document: ConfigDocument | null,
): string | undefined {
  if (live === null || document === null) return undefined
  const before = objectAt(JSON.parse(live.text), [])
  const enforced = describeEnforced(before, objectAt(JSON.parse(JSON.stringify(document)), []))
  if (enforced === '') return undefined
  return `The rules are now enforced in ${name}: ${enforced}. Start a new session of the agent to see it.`
}

export function PublishDialog(props: PublishDialogProps) {
  const { workbench, analysis, session, target, onTarget } = props
  const { document, text } = analysis
  const { kind } = session.state
  const digest = useMemo(
    () => (document === null ? null : computeDigest(JSON.parse(text))),
    [document, text],
  )
  const subject = async () => {
    const seen = await session.saver.flush()
    return seen === null
      ? null
      : { kind: 'draft' as const, draftId: seen.id, revision: seen.revision }
  }
  const next = workbench.targets.find(({ position }) => position === target.position + 1)
  return (
    <ReleaseDialog
      key={target.name}
      kind="publish"
      prompt={workbench}
      environment={{ ...target, live: target.live?.number ?? null }}
      version={null}
      content={digest ?? text}
      subject={subject}
      canSave={kind === 'clean' || kind === 'unsaved' || kind === 'saving'}
      above={<TargetChoice {...props} />}
      renderAction={(gate) => editorAction(props, gate)}
      next={next?.name ?? null}
      onPromote={onTarget}
      onDescribe={() => describeOutcome(target, document)}
      onClose={() => onTarget(null)}
    >
      <Changes {...props} />
    </ReleaseDialog>
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
        before={live === null ? '' : toEditorText(live.source)}
        after={analysis.text}
        labels={[live === null ? 'nothing' : `v${live.number}`, 'Draft']}
      />
    </section>
  )
}

/** Null: use the server's action. */
function editorAction(props: PublishDialogProps, gate: ShownGate): ReactNode {
  const { target, onUpdateDraft, onShowProblem, onBacktest } = props
  if (!gate.passed && gate.id === 'problems') {
    return <Button onClick={onShowProblem}>Go to first problem</Button>
  }
  const isTested = gate.passed && !gate.isOpen
  if ((gate.id === 'backtest' || gate.id === 'cases') && !isTested) {
    return <Button onClick={onBacktest}>Open backtest</Button>
  }
  const { live } = target
  if (gate.passed || gate.id !== 'behind' || live === null) return null
  return (
    <Button onClick={() => void onUpdateDraft(live.number)}>Update draft to v{live.number}</Button>
  )
}
