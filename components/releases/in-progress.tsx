'use client'
// Releases that need attention or a decision, above the history: partly applied, staged, scheduled, held.
import { plural } from '@signalbox/core/analysis'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { useRouter } from 'next/navigation'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { configPath } from '@/components/paths/config-path.ts'
import { useEnvironment } from '@/components/shell/environment-switcher.tsx'
import { ReleaseButton } from '@/components/shell/release-button.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { LinkButton } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { DemoTag } from '@/components/ui/demo-tag.tsx'
import { FirstRowsCard } from '@/components/ui/first-rows-card.tsx'
import { lazyDialog } from '@/components/ui/lazy-popup.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ErrorLine, ErrorState, Skeleton } from '@/components/ui/states.tsx'
import { type Status, StatusText } from '@/components/ui/status-badge.tsx'
import { Countdown, Timestamp } from '@/components/ui/time.tsx'
import type { RequestedRelease } from '@/server/releases/release-approvals.ts'
import type { ListedRelease } from '@/server/releases/release-list.sql.ts'
import type { ListedSchedule } from '@/server/releases/schedule-list.sql.ts'
import type { StagedSummary } from '@/server/staged-rollouts/staged-rollout-overview.ts'
import { permilleText } from './permille-text.ts'
import { ReleaseNow } from './release-now.tsx'
import { nameContent } from './release-text.ts'
import { type Counted, listCounts } from './requested-words.ts'
import { rejectionText } from './standing-words.ts'
import { usePlanSettled } from './use-plan-settled.ts'
import { useStagedRolloutAction } from './use-staged-rollout-actions.ts'
import { countTowardsVerdict, describeVerdict } from './verdict-words.ts'

const MovePlanDialog = lazyDialog(() =>
  import('./move-plan-dialog.tsx').then((module) => module.MovePlanDialog),
)
const CancelPlanDialog = lazyDialog(() =>
  import('./cancel-plan-dialog.tsx').then((module) => module.CancelPlanDialog),
)

/** Rows shown at first, so that the history stays in view. */
const FEW = 5
/** The job that compares sessions runs every minute. */
const REFETCH_MS = 15_000

/** Only what belongs to the environment that the page shows. */
export function useInProgress() {
  const trpc = useTRPC()
  const partly = useQuery({
    ...trpc.releases.partlyApplied.queryOptions(),
    refetchInterval: REFETCH_MS,
  })
  const staged = useQuery({
    ...trpc.stagedRollouts.running.queryOptions(),
    refetchInterval: REFETCH_MS,
  })
  const planned = useQuery(trpc.schedules.list.queryOptions())
  useReadOnChange([{ kind: 'config' }, { kind: 'release' }, { kind: 'runtime' }], partly, staged)
  useReadOnChange({ kind: 'config' }, planned)
  const environment = useEnvironment()
  const pick = <Item extends { readonly environment: string }>(
    items: readonly Item[] | undefined,
  ): readonly Item[] =>
    (items ?? []).filter((item) => environment === undefined || item.environment === environment)
  return {
    partly: pick(partly.data),
    staged: pick(staged.data),
    planned: pick(planned.data),
    isPending: partly.isPending || staged.isPending || planned.isPending,
    failed: partly.error ?? staged.error ?? planned.error,
    retry: () => void Promise.all([partly.refetch(), staged.refetch(), planned.refetch()]),
  }
}

type Work = ReturnType<typeof useInProgress>

/** `requests` undefined: not loaded. */
export function describeInProgress(
  { partly, staged, planned, isPending }: Work,
  requests: readonly Pick<RequestedRelease, 'state'>[] | undefined,
): string {
  if (isPending || requests === undefined) return '\u00a0'
  const countRequests = (state: RequestedRelease['state']) =>
    requests.filter((request) => request.state === state).length
  const countPlans = (state: ListedSchedule['state']) =>
    planned.filter((plan) => plan.state === state).length
  const texts = [
    describeCounts('Needs a decision', [
      [countRequests('waiting'), 'waiting for approval'],
      [countRequests('approved'), 'approved'],
      [countPlans('refused') + countRequests('refused'), 'refused'],
      [countPlans('held'), 'held'],
      [partly.length, 'partly applied'],
    ]),
    describeCounts('In progress', [
      [staged.length, 'staged'],
      [countPlans('pending'), 'scheduled'],
    ]),
  ].filter((text) => text !== '')
  return texts.length === 0
    ? 'No release is staged, scheduled or waits for a decision.'
    : texts.join(' ')
}

function describeCounts(name: string, counts: readonly Counted[]): string {
  const texts = listCounts(counts)
  return texts.length === 0 ? '' : `${name}: ${texts.join(', ')}.`
}

type Requested = Pick<RequestedRelease, 'planIds' | 'state' | 'sentence'> & {
  readonly standing: { readonly counted: readonly { readonly at: number }[] }
}

/** The approval of what the plan releases; null: it is not approved, or needs no approval. */
function findApproval(plan: ListedSchedule, requests: readonly Requested[]): string | null {
  const found = requests.find(({ planIds }) => planIds.includes(plan.id))
  if (found?.state !== 'approved') return null
  const isLate = found.standing.counted.some(({ at }) => at > plan.dueAt)
  return isLate ? `${found.sentence} after that time` : found.sentence
}

export function InProgress({
  work: { partly, staged, planned, isPending, failed, retry },
  requests,
}: {
  readonly work: Work
  readonly requests: readonly Requested[]
}) {
  const [asked, setAsked] = useState<{
    readonly plan: ListedSchedule
    readonly act: 'move' | 'cancel'
  } | null>(null)
  const toRow = (plan: ListedSchedule) => ({
    id: plan.id,
    row: (
      <Planned
        plan={plan}
        approval={findApproval(plan, requests)}
        onAct={(act) => setAsked({ plan, act })}
      />
    ),
  })
  // What was stopped needs a decision, so it comes first and is never hidden.
  const stopped = planned.filter(({ state }) => state !== 'pending')
  const rows = [
    ...stopped.map(toRow),
    ...partly.map((release) => ({
      id: release.id,
      row: <PartlyApplied release={release} />,
    })),
    ...staged.map((rollout) => ({
      id: rollout.id,
      row: <Staged rollout={rollout} />,
    })),
    ...planned.filter(({ state }) => state === 'pending').map(toRow),
  ]
  const Asked = asked?.act === 'move' ? MovePlanDialog : CancelPlanDialog
  return (
    <>
      {failed !== null && (
        <ErrorState
          what="The releases in progress could not be loaded."
          why={failed}
          onRetry={retry}
        />
      )}
      {rows.length === 0 && isPending && (
        <Card>
          <CardHeader title="In progress" />
          <Skeleton className="m-3 h-7" />
        </Card>
      )}
      {rows.length > 0 && (
        <FirstRowsCard
          title="In progress"
          few={Math.max(FEW, stopped.length + partly.length)}
          rows={rows.map(({ id, row }) => (
            <li key={id} className="border-border border-b last:border-b-0">
              {row}
            </li>
          ))}
        />
      )}
      {asked !== null && <Asked row={asked.plan} onClose={() => setAsked(null)} />}
    </>
  )
}

function ProgressRow({
  status,
  word,
  prompt,
  version,
  href,
  actions,
  children,
}: {
  readonly status: Status
  readonly word: string
  readonly prompt: { readonly ns: string; readonly key: string }
  /** Null: a draft. */
  readonly version: number | null
  readonly href: string
  readonly actions: ReactNode
  readonly children: ReactNode
}) {
  return (
    <div className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1.5">
      <span className="w-32 shrink-0">
        <StatusText status={status}>{word}</StatusText>
      </span>
      <span className="inline-flex shrink-0 items-baseline gap-2">
        <Link href={href} className="font-medium hover:underline">
          {prompt.ns}/{prompt.key}
        </Link>
        <code className="rounded-badge border border-border bg-surface-2 px-1.5 font-medium">
          {nameContent(version).short}
        </code>
        <DemoTag ns={prompt.ns} />
      </span>
      <span className="min-w-0 flex-1 basis-72 break-words text-text-2">{children}</span>
      <span className="flex shrink-0 flex-wrap items-center gap-2 max-sm:w-full">{actions}</span>
    </div>
  )
}

function PartlyApplied({ release }: { readonly release: ListedRelease }) {
  const { id, ns, key, version, environment, applied, total, rejection } = release
  const router = useRouter()
  const back = `${configPath(ns, key)}/versions?move=rollback:${environment}:previous`
  return (
    <ProgressRow
      status="partial"
      word="Partly applied"
      prompt={{ ns, key }}
      version={version}
      href={`/releases/${id}`}
      actions={
        <>
          {rejection === null ? (
            <LinkButton href={`/releases/${id}`}>Open release</LinkButton>
          ) : (
            <LinkButton href={`/runtimes/${rejection.id}`}>See {rejection.runtime}</LinkButton>
          )}
          <ReleaseButton environment={environment} onClick={() => router.push(back)}>
            Roll back
          </ReleaseButton>
        </>
      }
    >
      {[environment, `${applied} of ${plural(total, 'runtime')}`, rejectionText(release)]
        .filter((text) => text !== null)
        .join(' · ')}
    </ProgressRow>
  )
}

function Staged({ rollout }: { readonly rollout: StagedSummary }) {
  const { id, ns, key, environment, version, baseVersion, share, guard } = rollout
  const trpc = useTRPC()
  const queries = useQueryClient()
  const stop = useStagedRolloutAction<void>(
    (client) => client.stagedRollouts.stop.mutate({ rolloutId: id, note: null }),
    () => void queries.invalidateQueries({ queryKey: trpc.stagedRollouts.pathKey() }),
  )
  const href = `${configPath(ns, key)}/staged-rollout`
  const { title, isPassed } = describeVerdict(rollout)
  return (
    <ProgressRow
      status="staged"
      word={`Staged, ${permilleText(share)}`}
      prompt={{ ns, key }}
      version={version}
      href={href}
      actions={
        <>
          <LinkButton href={href}>{isPassed ? 'Release to all' : 'Raise share'}</LinkButton>
          <ReleaseButton
            environment={environment}
            disabled={stop.isPending}
            onClick={() => stop.run()}
            aria-label={`Stop the rollout of ${ns}/${key} in ${environment}, back to v${baseVersion}`}
          >
            Stop
          </ReleaseButton>
          <ErrorLine className="text-small">{stop.refused}</ErrorLine>
        </>
      }
    >
      {environment} · {countTowardsVerdict(guard)} of {guard.minSessions} sessions of each version ·{' '}
      {title.charAt(0).toLowerCase() + title.slice(1)}
    </ProgressRow>
  )
}

const PLAN_LOOK = {
  pending: ['scheduled', 'Scheduled'],
  held: ['held', 'Held'],
  refused: ['rejected', 'Refused'],
} as const satisfies Record<ListedSchedule['state'], readonly [Status, string]>

function Planned({
  plan,
  approval,
  onAct,
}: {
  readonly plan: ListedSchedule
  readonly approval: string | null
  readonly onAct: (act: 'move' | 'cancel') => void
}) {
  const { id, ns, key, environment, version, state, dueAt, zone, author, note, reason } = plan
  const trpc = useTRPC()
  const dismiss = useMutation(
    trpc.schedules.cancel.mutationOptions({ onSettled: usePlanSettled() }),
  )
  const isRefused = state === 'refused'
  const [status, word] = PLAN_LOOK[state]
  const editor = `${configPath(ns, key)}/edit?publish=${encodeURIComponent(environment)}`
  const href = version === null ? editor : `${configPath(ns, key)}/versions`
  return (
    <ProgressRow
      status={status}
      word={word}
      prompt={{ ns, key }}
      version={version}
      href={href}
      actions={
        <>
          {approval !== null && state !== 'pending' && <ReleaseNow asked={plan} />}
          <ReleaseButton environment={environment} onClick={() => onAct('move')}>
            Change time
          </ReleaseButton>
          <ReleaseButton
            environment={environment}
            disabled={dismiss.isPending}
            onClick={isRefused ? () => dismiss.mutate({ id }) : () => onAct('cancel')}
            aria-label={`${isRefused ? 'Dismiss the refused' : 'Cancel the scheduled'} release of ${ns}/${key} to ${environment}`}
          >
            {isRefused ? 'Dismiss' : 'Cancel'}
          </ReleaseButton>
          <ErrorLine className="text-small">{dismiss.error?.message}</ErrorLine>
        </>
      }
    >
      {environment} · <Timestamp at={dueAt} style="second" />
      {state === 'pending' && (
        <>
          {' · '}
          <Countdown until={dueAt} />
        </>
      )}
      {` · chosen in ${zone} by ${author ?? 'a former member'}`}
      {note !== null && ` · “${note}”`}
      {reason !== null && (
        <span className={clsx('block', state === 'held' ? 'text-warning-fg' : 'text-deny-fg')}>
          {reason}
        </span>
      )}
      {approval !== null && <span className="block">{approval}</span>}
    </ProgressRow>
  )
}
