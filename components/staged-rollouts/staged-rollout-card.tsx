'use client'

import { countText, plural } from '@signalbox/core/analysis'
import { useState } from 'react'
import {
  METRIC_WORDS,
  permilleText,
  ShareSelect,
} from '@/components/releases/staged-rollout-fields.tsx'
import { useStagedRolloutAction } from '@/components/releases/use-staged-rollout-actions.ts'
import { ReleaseButton } from '@/components/shell/release-button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { lazyDialog } from '@/components/ui/lazy-popup.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { StatusBadge } from '@/components/ui/status-badge.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { Ago, Timestamp } from '@/components/ui/time.tsx'
import type { RolloutView } from '@/server/staged-rollouts/staged-rollout-overview.ts'
import type { ConfirmDialogProps } from './confirm-dialog.tsx'

const ConfirmDialog = lazyDialog(() =>
  import('./confirm-dialog.tsx').then((module) => module.ConfirmDialog),
)

interface Props {
  readonly rollout: RolloutView
  readonly ns: string
  readonly name: string
}

export function RolloutCard(props: Props) {
  const { rollout } = props
  const { version, baseVersion, environment, share, kind, state } = rollout
  const isRunning = state === 'running'
  const title =
    kind === 'staged'
      ? `v${version} for ${permilleText(share)} of new sessions in ${environment}`
      : `v${version} in ${environment}, watched`
  return (
    <Card>
      <CardHeader
        title={title}
        aside={`next to v${baseVersion} · ${rollout.author ?? 'unknown'}`}
        actions={<StateBadge rollout={rollout} />}
      />
      <ComparisonTable rollout={rollout} />
      <div className="flex flex-col gap-3 p-3">
        <GuardLine rollout={rollout} />
        {rollout.reason !== null && <p>{rollout.reason}</p>}
        {isRunning && <Actions {...props} />}
        <History rollout={rollout} />
      </div>
    </Card>
  )
}

function StateBadge({ rollout: { state } }: { readonly rollout: RolloutView }) {
  if (state === 'running') return <StatusBadge status="running" />
  if (state === 'rolled_back') return <StatusBadge status="warning">rolled back</StatusBadge>
  if (state === 'stopped') return <StatusBadge status="ended">stopped</StatusBadge>
  return <StatusBadge status="passed">{state}</StatusBadge>
}

type Counts = RolloutView['candidate']

function ComparisonTable({ rollout }: { readonly rollout: RolloutView }) {
  const { version, baseVersion, candidate, base } = rollout
  const rows: readonly [string, number, Counts][] = [
    ['candidate', version, candidate],
    ['previous', baseVersion, base],
  ]
  return (
    <Table isStacked aria-label="Versions compared">
      <thead>
        <tr>
          <HeadCell>Version</HeadCell>
          <HeadCell className="text-right">Sessions</HeadCell>
          <HeadCell className="text-right">Denied calls / session</HeadCell>
          <HeadCell className="text-right">Refused stops / session</HeadCell>
          <HeadCell className="text-right">Incomplete outputs / session</HeadCell>
          <HeadCell className="text-right">Not verified</HeadCell>
        </tr>
      </thead>
      <tbody>
        {rows.map(([word, number, counts]) => (
          <Row key={word}>
            <Cell>
              <span className="font-mono text-mono">v{number}</span>{' '}
              <span className="text-text-2">{word}</span>
            </Cell>
            <Cell label="Sessions" className="text-right tabular-nums">
              {countText(counts.sessions)}
            </Cell>
            <PerSession label="Denied calls / session" of={counts.denied} counts={counts} />
            <PerSession label="Refused stops / session" of={counts.blocked} counts={counts} />
            <PerSession
              label="Incomplete outputs / session"
              of={counts.overridden}
              counts={counts}
            />
            <Cell label="Not verified" className="text-right tabular-nums">
              {counts.diverged}
            </Cell>
          </Row>
        ))}
      </tbody>
    </Table>
  )
}

function PerSession({
  label,
  of,
  counts,
}: {
  readonly label: string
  readonly of: number
  readonly counts: Counts
}) {
  const mean = counts.sessions === 0 ? '–' : (of / counts.sessions).toFixed(2)
  return (
    <Cell
      label={label}
      className="text-right tabular-nums"
      title={`${countText(of)} in ${plural(counts.sessions, 'session')}`}
    >
      {mean}
    </Cell>
  )
}

function GuardLine({ rollout: { guard, state } }: { readonly rollout: RolloutView }) {
  const { metric, ratio, minSessions, verdict, base, candidate, evidence } = guard
  const rule = `Rolls back above ${ratio} × the ${METRIC_WORDS[metric]} per session.`
  const fewest = Math.min(base, candidate)
  const percent = Math.round(evidence * 100)
  const said = {
    too_few: `Too few sessions to compare: ${fewest} of ${minSessions} have ended on the version that has fewer.`,
    no_worse: `${plural(candidate + base, 'session')} compared; no sign that it is worse (${percent}% of the evidence for a rollback).`,
    worse: `${plural(candidate + base, 'session')} compared; it is worse.`,
  }[verdict]
  return (
    <div className="flex flex-col gap-1">
      <p>
        <span className="text-text-2">{rule}</span> {said}
      </p>
      {state === 'running' && verdict !== 'too_few' && (
        <progress
          aria-label="Evidence for a rollback"
          className="h-1.5 w-full max-w-80 accent-(--warning-mark)"
          max={100}
          value={percent}
        />
      )}
    </div>
  )
}

function shareVerb(share: number, next: number): string {
  if (next === share) return 'Change the share'
  return next < share ? `Lower to ${permilleText(next)}` : `Raise to ${permilleText(next)}`
}

type Asked = ConfirmDialogProps['asked'] | null

function Actions({ rollout, ns, name }: Props) {
  const { id, kind, environment, version, share } = rollout
  const [next, setNext] = useState(share)
  const [asked, setAsked] = useState<Asked>(null)
  const change = useStagedRolloutAction<{ readonly share: number }>((client, input) =>
    client.stagedRollouts.share.mutate({ rolloutId: id, note: null, typedName: null, ...input }),
  )
  const stop = useStagedRolloutAction<void>((client) =>
    client.stagedRollouts.stop.mutate({ rolloutId: id, note: null }),
  )
  const refused = change.refused ?? stop.refused
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        {kind === 'staged' && (
          <>
            <ShareSelect share={next} onChange={setNext} />
            <ReleaseButton
              environment={environment}
              disabled={next === share || change.isPending}
              onClick={() => (next > share ? setAsked('raise') : change.run({ share: next }))}
            >
              {shareVerb(share, next)}
            </ReleaseButton>
            <ReleaseButton
              environment={environment}
              variant="primary"
              onClick={() => setAsked('complete')}
            >
              Release v{version} to all
            </ReleaseButton>
          </>
        )}
        <ReleaseButton
          environment={environment}
          variant="danger"
          disabled={stop.isPending}
          onClick={() => stop.run()}
        >
          {kind === 'staged' ? `Stop v${version} in ${environment}` : 'Stop watching'}
        </ReleaseButton>
      </div>
      <ErrorLine>{refused}</ErrorLine>
      {asked !== null && (
        <ConfirmDialog
          rollout={rollout}
          ns={ns}
          name={name}
          asked={asked}
          share={next}
          onClose={() => setAsked(null)}
        />
      )}
    </div>
  )
}

const CHANGE_WORDS: Readonly<Record<string, string>> = {
  started: 'started',
  share: 'share changed',
  completed: 'completed',
  stopped: 'stopped',
  rolled_back: 'rolled back',
  passed: 'passed',
}

function History({ rollout }: { readonly rollout: RolloutView }) {
  const { changes, endsAt, state, kind: rolloutKind } = rollout
  return (
    <ol aria-label="History" className="flex flex-col gap-1 text-small text-text-2">
      {changes.map(({ at, kind, share, author, note, revision }) => (
        <li key={`${at} ${kind}`} className="flex flex-wrap items-baseline gap-x-2">
          <Timestamp at={at} style="second" />
          <span className="text-text">
            {CHANGE_WORDS[kind] ?? kind}
            {rolloutKind === 'staged' && ` · ${permilleText(share)}`}
          </span>
          <span>
            {author ?? 'unknown'}
            {revision === null ? '' : ` · revision ${revision}`}
          </span>
          {note !== null && <span className="min-w-0 break-words">{note}</span>}
        </li>
      ))}
      {endsAt !== null && state === 'running' && (
        <li>
          Watched until <Timestamp at={endsAt} style="second" />
        </li>
      )}
    </ol>
  )
}

export function EndedRollout({ rollout }: { readonly rollout: RolloutView }) {
  const { version, baseVersion, environment, kind, share, reason, settledAt } = rollout
  const what = kind === 'staged' ? `${permilleText(share)} of new sessions` : 'watched release'
  return (
    <li className="flex flex-col gap-1 border-border border-b px-3 py-2 last:border-b-0">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <StateBadge rollout={rollout} />
        <span>
          v{version} beside v{baseVersion} in {environment}
        </span>
        <span className="text-text-2">
          {what} · {settledAt !== null && <Ago at={settledAt} />}
        </span>
      </div>
      {reason !== null && <p className="break-words text-text-2">{reason}</p>}
    </li>
  )
}
