'use client'
import { countText } from '@signalbox/core/analysis'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { configPath } from '@/components/paths/config-path.ts'
import { ReleaseButton } from '@/components/shell/release-button.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { StatusIcon } from '@/components/ui/status-badge.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { durationText, useNow } from '@/components/ui/time.tsx'
import type { ReleaseDetail } from '@/server/releases/release-pages.ts'
import type { RolloutView } from '@/server/staged-rollouts/staged-rollout-overview.ts'
// See specs/staged-rollouts.md.
import { permilleText } from './permille-text.ts'
import { ReachTerms, toReachTerms, WATCHED } from './reach-fields.tsx'
import { METRIC_WORDS } from './staged-rollout-fields.tsx'
import { useStagedRolloutAction } from './use-staged-rollout-actions.ts'
import {
  countTowardsVerdict,
  describeVerdict,
  limitText,
  meanText,
  progressText,
} from './verdict-words.ts'

export const HOW_IT_IS_DECIDED = '/docs/specs/staged-rollouts'

export function MonitoringCard({
  release,
  watch,
  staged,
}: {
  readonly release: ReleaseDetail
  readonly watch: RolloutView | null
  /** Staged rollout that runs beside the release; null: none. */
  readonly staged: RolloutView | null
}) {
  const { ns, key, environment, previousVersion, successor } = release
  const [isAsking, setAsking] = useState(false)
  const baseVersion = watch?.baseVersion ?? previousVersion
  return (
    <Card>
      <CardHeader
        title="Monitoring"
        aside={baseVersion === null ? undefined : `compared with v${baseVersion}`}
        actions={
          <Link href={HOW_IT_IS_DECIDED} className="shrink-0 text-link hover:underline">
            How it is decided
          </Link>
        }
      />
      {watch !== null && <Watched watch={watch} />}
      {watch === null && previousVersion === null && (
        <Told title="No earlier version to compare with">
          Monitoring compares the sessions of two versions.
        </Told>
      )}
      {watch === null && previousVersion !== null && (
        <Told title={successor === null ? 'Not monitored' : 'Was not monitored'}>
          {successor === null
            ? `Monitoring compares its sessions with those of v${previousVersion}, and rolls back automatically if they do worse.`
            : `Its sessions were not compared with those of v${previousVersion}.`}
          {successor === null && (
            <span className="mt-2 block">
              <ReleaseButton environment={environment} onClick={() => setAsking(true)}>
                Start monitoring
              </ReleaseButton>
            </span>
          )}
        </Told>
      )}
      {(staged !== null || watch?.state === 'running') && (
        <p className="border-border border-t px-3 py-2 text-small text-text-2">
          {staged !== null &&
            `v${staged.version} gets ${permilleText(staged.share)} of new sessions here. `}
          <Link
            href={`${configPath(ns, key)}/staged-rollout`}
            className="text-link hover:underline"
          >
            Open staged rollout
          </Link>
        </p>
      )}
      {isAsking && previousVersion !== null && (
        <StartDialog
          release={release}
          previous={previousVersion}
          onClose={() => setAsking(false)}
        />
      )}
    </Card>
  )
}

function Told({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className="flex items-start gap-2 p-3">
      <span className="pt-0.5">
        <StatusIcon status="not_evaluated" size={18} />
      </span>
      <div>
        <p className="font-semibold text-h2">{title}</p>
        <div className="text-text-2">{children}</div>
      </div>
    </div>
  )
}

function TimeLeft({ until }: { readonly until: number }) {
  const now = useNow()
  return now === null || until <= now ? null : ` Ends in ${durationText(until - now)}.`
}

function Watched({ watch }: { readonly watch: RolloutView }) {
  const { version, baseVersion, guard, candidate, base, endsAt, state, reason } = watch
  const { status, title } = describeVerdict(watch)
  const done = countTowardsVerdict(guard)
  const noun = METRIC_WORDS[guard.metric]
  return (
    <>
      <div className="flex items-start gap-2 p-3 pb-2">
        <span className="pt-0.5">
          <StatusIcon status={status} size={18} />
        </span>
        <div>
          <p role="status" className="font-semibold text-h2">
            {title}
          </p>
          <p className="text-text-2">
            {reason ?? progressText(watch)}
            {state === 'running' && endsAt !== null && <TimeLeft until={endsAt} />}
          </p>
        </div>
      </div>
      <GuardProgress done={done} needed={guard.minSessions} />
      <Table aria-label="Versions compared">
        <thead>
          <tr>
            <HeadCell>Per session</HeadCell>
            <HeadCell className="text-right">v{baseVersion}</HeadCell>
            <HeadCell className="text-right">v{version}</HeadCell>
            <HeadCell className="text-right">Limit</HeadCell>
          </tr>
        </thead>
        <tbody>
          {MEASURES.map(({ metric, name, count }) => {
            const isGuard = metric === guard.metric
            return (
              <Compared
                key={name}
                name={name}
                isGuard={isGuard}
                base={meanText(isGuard ? guard.baseMean : divide(count(base), base.sessions))}
                candidate={meanText(
                  isGuard ? guard.candidateMean : divide(count(candidate), candidate.sessions),
                )}
                limit={isGuard ? limitText(guard) : '–'}
              />
            )
          })}
          <Compared
            name="Sessions"
            isGuard={false}
            base={countText(base.sessions)}
            candidate={countText(candidate.sessions)}
            limit="–"
          />
        </tbody>
      </Table>
      {state === 'running' && (
        <p className="border-border border-t px-3 py-2 text-small text-text-2">
          If {noun} pass the limit, Signalbox rolls back to v{baseVersion} and writes it to the
          audit log.
        </p>
      )}
    </>
  )
}

type Counts = RolloutView['base']

const MEASURES = [
  { metric: 'denials', name: 'Denied calls', count: (counts: Counts) => counts.denied },
  { metric: 'blocks', name: 'Blocked stops', count: (counts: Counts) => counts.blocked },
  { metric: null, name: 'Bypassed stops', count: (counts: Counts) => counts.bypassed },
  { metric: 'overrides', name: 'Incomplete outputs', count: (counts: Counts) => counts.overridden },
] as const

function divide(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}

export function GuardTag() {
  return (
    <span className="rounded-badge border border-border bg-surface-2 px-1 font-normal text-small text-text-2">
      guard
    </span>
  )
}

function Compared({
  name,
  isGuard,
  base,
  candidate,
  limit,
}: {
  readonly name: string
  readonly isGuard: boolean
  readonly base: string
  readonly candidate: string
  readonly limit: string
}) {
  return (
    <Row>
      <Cell className={isGuard ? 'font-medium' : undefined}>
        {name} {isGuard && <GuardTag />}
      </Cell>
      <Cell className="text-right tabular-nums">{base}</Cell>
      <Cell className="text-right font-medium tabular-nums">{candidate}</Cell>
      <Cell className="text-right text-text-2 tabular-nums">{limit}</Cell>
    </Row>
  )
}

export function GuardProgress({
  done,
  needed,
}: {
  readonly done: number
  readonly needed: number
}) {
  return (
    <div
      role="progressbar"
      aria-label="Sessions for a verdict"
      aria-valuemin={0}
      aria-valuemax={needed}
      aria-valuenow={done}
      aria-valuetext={`${done} of ${needed} sessions`}
      className="mx-3 mb-2 h-1.5 overflow-hidden rounded-full bg-surface-3"
    >
      <div className="h-full bg-text-2" style={{ width: `${(done / needed) * 100}%` }} />
    </div>
  )
}

function StartDialog({
  release,
  previous,
  onClose,
}: {
  readonly release: ReleaseDetail
  readonly previous: number
  readonly onClose: () => void
}) {
  const { id: releaseId, ns, key, environment, version } = release
  const [reach, setReach] = useState(WATCHED)
  const begin = useStagedRolloutAction<void>(async (client) => {
    const { watch } = toReachTerms(reach)
    if (watch === undefined) throw new Error('Choose how long to monitor.')
    return await client.stagedRollouts.watch.mutate({ releaseId, watch, note: null })
  }, onClose)
  return (
    <Dialog
      open
      wide
      onOpenChange={onClose}
      title={`Monitor v${version} in ${environment}`}
      description={`${ns}/${key}: sessions that start from now on`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={begin.isPending} onClick={() => begin.run()}>
            Start monitoring v{version}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <ReachTerms reach={reach} live={previous} onChange={setReach} />
        <ErrorLine>{begin.refused}</ErrorLine>
      </div>
    </Dialog>
  )
}
