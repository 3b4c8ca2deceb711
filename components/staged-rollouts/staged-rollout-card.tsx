'use client'

import { plural } from '@signalbox/core/analysis'
import { useState } from 'react'
import { GuardProgress } from '@/components/releases/monitoring-card.tsx'
import { permilleText } from '@/components/releases/permille-text.ts'
import { SHARES, ShareSelect } from '@/components/releases/staged-rollout-fields.tsx'
import { useStagedRolloutAction } from '@/components/releases/use-staged-rollout-actions.ts'
import {
  countTowardsVerdict,
  describeVerdict,
  isAboveLimit,
  progressText,
} from '@/components/releases/verdict-words.ts'
import { VersionChanges } from '@/components/releases/version-changes.tsx'
import { ReleaseButton } from '@/components/shell/release-button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { lazyDialog } from '@/components/ui/lazy-popup.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { StatusIcon } from '@/components/ui/status-badge.tsx'
import { durationText, Timestamp, useNow } from '@/components/ui/time.tsx'
import type { ConfigDetail } from '@/server/configs/configs.ts'
import type { RolloutView } from '@/server/staged-rollouts/staged-rollout-overview.ts'
import type { ConfirmDialogProps } from './confirm-dialog.tsx'
import { GuardCard } from './guard-card.tsx'
import { VersionsCard } from './versions-card.tsx'

const ConfirmDialog = lazyDialog(() =>
  import('./confirm-dialog.tsx').then((module) => module.ConfirmDialog),
)

export function rolloutTitle({ kind, version, share, environment }: RolloutView): string {
  return kind === 'staged'
    ? `v${version} to ${permilleText(share)} of sessions in ${environment}`
    : `v${version} in ${environment}, monitored`
}

export function RolloutFacts({ rollout }: { readonly rollout: RolloutView }) {
  const { kind, share, baseVersion, author, createdAt, endsAt } = rollout
  return (
    <>
      <span className="inline-block">
        Started by {author ?? 'a former member'} on <Timestamp at={createdAt} style="second" /> ·
      </span>{' '}
      <span className="inline-block">
        {kind === 'staged'
          ? `v${baseVersion} runs in the other ${permilleText(1000 - share)}`
          : `compared with v${baseVersion}`}
        {endsAt === null ? '' : ' ·'}
      </span>{' '}
      {endsAt !== null && (
        <span className="inline-block">
          ends <Timestamp at={endsAt} style="second" />
        </span>
      )}
    </>
  )
}

/** Result of a rollout that has ended. */
export function EndFacts({ rollout }: { readonly rollout: RolloutView }) {
  const { version, environment, settledAt, candidate } = rollout
  return (
    <span>
      v{version} in {environment}
      {settledAt !== null && (
        <>
          {' '}
          ended on <Timestamp at={settledAt} style="second" />
        </>
      )}{' '}
      after {plural(candidate.sessions, 'session')} with it: {describeVerdict(rollout).title}.
    </span>
  )
}

type Asked = { readonly what: ConfirmDialogProps['asked']; readonly share: number } | null

interface Props {
  readonly rollout: RolloutView
  readonly ns: string
  readonly name: string
}

export function RolloutActions({ rollout, ns, name }: Props) {
  const { id, kind, environment, version, baseVersion, share } = rollout
  const [asked, setAsked] = useState<Asked>(null)
  const stop = useStagedRolloutAction<void>((client) =>
    client.stagedRollouts.stop.mutate({ rolloutId: id, note: null }),
  )
  const next = SHARES.find((each) => each > share)
  const { isPassed } = describeVerdict(rollout)
  return (
    <>
      <ReleaseButton environment={environment} disabled={stop.isPending} onClick={() => stop.run()}>
        {kind === 'staged' ? `Stop, back to v${baseVersion}` : 'Stop monitoring'}
      </ReleaseButton>
      {kind === 'staged' && next !== undefined && (
        <ReleaseButton
          environment={environment}
          onClick={() => setAsked({ what: 'raise', share: next })}
        >
          Raise to {permilleText(next)}
        </ReleaseButton>
      )}
      {kind === 'staged' && (
        <ReleaseButton
          environment={environment}
          variant={isPassed ? 'primary' : 'secondary'}
          onClick={() => setAsked({ what: 'complete', share })}
        >
          Release v{version} to all
        </ReleaseButton>
      )}
      <ErrorLine>{stop.refused}</ErrorLine>
      {asked !== null && (
        <ConfirmDialog
          rollout={rollout}
          ns={ns}
          name={name}
          asked={asked.what}
          share={asked.share}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  )
}

const RECENT_MS = 300_000

/** Time until the version with fewer sessions has enough, at the rate so far; null: unknown, or it has, or no session ended recently. */
function estimateMs({ guard, createdAt, kind, history }: RolloutView, now: number): number | null {
  const done = countTowardsVerdict(guard)
  const missing = guard.minSessions - done
  if (kind !== 'staged' || missing <= 0 || done === 0) return null
  if (now - (history.at(-1)?.at ?? 0) > RECENT_MS) return null
  return ((now - createdAt) / done) * missing
}

function Decision({ rollout }: { readonly rollout: RolloutView }) {
  const { guard, version, baseVersion, kind, reason } = rollout
  const now = useNow()
  const { status, title } = describeVerdict(rollout)
  const progress = progressText(rollout)
  const isRisky = status !== 'denied' && isAboveLimit(guard)
  const done = countTowardsVerdict(guard)
  const missing = guard.minSessions - done
  const left = now === null ? null : estimateMs(rollout, now)
  return (
    <Card className="flex flex-wrap items-center gap-x-3 gap-y-2 p-3">
      <StatusIcon status={isRisky ? 'warning' : status} size={20} />
      <div className="min-w-0 flex-1 basis-80">
        <p role="status" className="font-semibold text-h1">
          {isRisky ? progress : `${title}.`}
          {missing > 0 &&
            ` ${missing} more ${missing === 1 ? 'session' : 'sessions'} until a verdict.`}
        </p>
        <p className="text-text-2">
          {reason ?? (isRisky ? `${title}.` : progress)}
          {left !== null && ` About ${durationText(left)} at this rate.`}
          {reason !== null
            ? ' Signalbox tries again every minute.'
            : kind === 'staged'
              ? ` If v${version} is worse, Signalbox sends every new session to v${baseVersion}.`
              : ` If v${version} is worse, Signalbox rolls back to v${baseVersion}.`}
        </p>
      </div>
      <div className="w-48 max-sm:w-full">
        <GuardProgress done={done} needed={guard.minSessions} />
        <p className="text-right text-small text-text-2">
          {missing > 0
            ? `${done} of ${plural(guard.minSessions, 'session')}`
            : `${plural(guard.minSessions, 'session')} of each version needed, reached`}
        </p>
      </div>
    </Card>
  )
}

/** What ended the newest rollout, if its guard did. */
export function WorseSentence({ rollout }: { readonly rollout: RolloutView }) {
  const { version, baseVersion, reason, settledAt, kind } = rollout
  return (
    <Card className="flex items-center gap-3 border-deny-bd bg-deny-bg p-3 text-deny-fg">
      <StatusIcon status="denied" size={20} />
      <p className="font-semibold">
        v{version} was worse{reason === null ? '.' : `: ${reason}`}{' '}
        {kind === 'staged' ? 'All sessions use' : 'New sessions use'} v{baseVersion}
        {settledAt !== null && (
          <>
            {' '}
            since <Timestamp at={settledAt} style="second" />
          </>
        )}
        .
      </p>
    </Card>
  )
}

export function RolloutBody({
  rollout,
  config,
}: {
  readonly rollout: RolloutView
  readonly config: ConfigDetail
}) {
  const { version, baseVersion } = rollout
  return (
    <>
      <Decision rollout={rollout} />
      <div className="grid grid-cols-1 items-start gap-3 lg:grid-cols-[minmax(0,1.32fr)_minmax(0,1fr)]">
        <div className="flex min-w-0 flex-col gap-3">
          <GuardCard rollout={rollout} />
          <Card>
            <CardHeader title={`What changed in v${version}`} aside={`against v${baseVersion}`} />
            <div className="p-3">
              <VersionChanges config={config} from={baseVersion} to={version} />
            </div>
          </Card>
        </div>
        <div className="flex min-w-0 flex-col gap-3">
          <VersionsCard rollout={rollout} />
          <Card>
            <CardHeader
              title="History"
              actions={
                rollout.kind === 'staged' && <ShareChange key={rollout.share} rollout={rollout} />
              }
            />
            <History rollout={rollout} />
          </Card>
        </div>
      </div>
    </>
  )
}

/** Lowers the share; the button of the page raises it. */
function ShareChange({ rollout: { id, share, environment } }: { readonly rollout: RolloutView }) {
  const lower = SHARES.filter((each) => each < share)
  const [next, setNext] = useState<number>(lower.at(-1) ?? share)
  const change = useStagedRolloutAction<void>((client) =>
    client.stagedRollouts.share.mutate({
      rolloutId: id,
      share: next,
      note: null,
      typedName: null,
    }),
  )
  if (lower.length === 0) return null
  return (
    <span className="flex flex-wrap items-center justify-end gap-2">
      <span className="text-small text-text-2">Lower the share to</span>
      <ShareSelect shares={lower} share={next} onChange={setNext} />
      <ReleaseButton
        environment={environment}
        disabled={change.isPending}
        onClick={() => change.run()}
      >
        Lower to {permilleText(next)}
      </ReleaseButton>
      <ErrorLine>{change.refused}</ErrorLine>
    </span>
  )
}

const CHANGE_WORDS: Readonly<Record<string, string>> = {
  started: 'started',
  share: 'changed the share',
  completed: 'released it to all',
  stopped: 'stopped it',
  rolled_back: 'rolled it back',
  passed: 'ended the watch',
}

function History({ rollout: { changes, kind: rolloutKind } }: { readonly rollout: RolloutView }) {
  return (
    <ol aria-label="History" className="flex flex-col gap-2 p-3">
      {changes.toReversed().map(({ at, kind, share, author, note }) => (
        <li key={`${at} ${kind}`} className="flex flex-wrap items-baseline gap-x-3">
          {rolloutKind === 'staged' && (
            <span className="w-10 font-medium tabular-nums">{permilleText(share)}</span>
          )}
          <span className="text-small text-text-2">
            <Timestamp at={at} style="row" />
          </span>
          <span>
            {author ?? 'A former member'} {CHANGE_WORDS[kind] ?? kind}
          </span>
          {note !== null && <span className="min-w-0 break-words text-text-2">“{note}”</span>}
        </li>
      ))}
    </ol>
  )
}
