'use client'

import { plural } from '@signalbox/core/analysis'
import { useQuery } from '@tanstack/react-query'
import { ArrowRight, Undo2 } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { ConfigCrumbs } from '@/components/configs/config-crumbs.tsx'
import { useMoveActions } from '@/components/configs/use-move-actions.ts'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { configPath } from '@/components/paths/config-path.ts'
import { liveIn } from '@/components/paths/live-in.ts'
import { AdoptionCard } from '@/components/releases/adoption-card.tsx'
import { useAdoption } from '@/components/releases/adoption-view.tsx'
import { findWatch } from '@/components/releases/find-watch.ts'
import { MoveDialog } from '@/components/releases/lazy-move-dialog.ts'
import { MonitoringCard } from '@/components/releases/monitoring-card.tsx'
import { type Move, rollbackTargets } from '@/components/releases/moves.ts'
import { StandingBadge } from '@/components/releases/release-standing.tsx'
import { ReleaseSteps } from '@/components/releases/release-steps.tsx'
import { findHolder, RuntimeTable } from '@/components/releases/runtime-table.tsx'
import { isPartlyApplied } from '@/components/releases/standing-words.ts'
import { VersionChanges } from '@/components/releases/version-changes.tsx'
import { usePageActions } from '@/components/shell/page-actions.ts'
import { PageHeader } from '@/components/shell/page-header.tsx'
import { ReleaseButton } from '@/components/shell/release-button.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { LinkButton } from '@/components/ui/button.tsx'
import { Card, CardHeader, KeyValueList } from '@/components/ui/card.tsx'
import { CopyButton, IdChip } from '@/components/ui/copy.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { ErrorState, type Failure, Skeleton, SkeletonRows } from '@/components/ui/states.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { ConfigDetail } from '@/server/configs/configs.ts'
import type { Successor } from '@/server/configs/release-standing.sql.ts'
import type { Adoption } from '@/server/releases/adoption.ts'
import type { ReleaseDetail } from '@/server/releases/release-pages.ts'

export function ReleasePage({ releaseId }: { readonly releaseId: string }) {
  const trpc = useTRPC()
  const query = useQuery(trpc.releases.get.queryOptions({ releaseId }))
  useReadOnChange([{ kind: 'release' }, { kind: 'runtime' }], query)
  if (query.isError && query.data === undefined) {
    return (
      <ErrorState
        what="The release could not be loaded."
        why={query.error}
        onRetry={() => void query.refetch()}
      />
    )
  }
  return query.data === undefined ? <SkeletonRows /> : <Loaded release={query.data} />
}

function Loaded({ release }: { readonly release: ReleaseDetail }) {
  const { id, ns, key, environment, version, previousVersion, kind, successor } = release
  const trpc = useTRPC()
  const config = useQuery(trpc.configs.get.queryOptions({ ns, key }))
  const applied = useAdoption(id)
  const adoption = applied.data
  const monitored = useQuery(trpc.stagedRollouts.of.queryOptions({ ns, key }))
  const rollouts = monitored.data?.rollouts
  const watch = rollouts === undefined ? undefined : findWatch(release, rollouts)
  const staged =
    rollouts?.find(
      (one) =>
        one.environment === environment &&
        one.state === 'running' &&
        one.kind === 'staged' &&
        successor === null,
    ) ?? null
  return (
    <>
      <PageHeader
        above={<ConfigCrumbs ns={ns} name={key} from={{ href: '/releases', label: 'Rollouts' }} />}
        title={
          <>
            v{version} in {environment}{' '}
            {adoption !== undefined && (
              <span className="ml-1 inline-flex align-bottom">
                <StandingBadge release={adoption} />
              </span>
            )}
          </>
        }
        facts={
          <>
            <p>
              {kind === 'rollback' ? 'Rolled back' : 'Released'}{' '}
              <By author={release.author} at={release.createdAt} note={release.note} />
            </p>
            {successor !== null && <End successor={successor} />}
          </>
        }
        actions={
          config.data === undefined ? (
            <WaysElsewhere release={release} />
          ) : (
            <Ways release={release} adoption={adoption} config={config.data} />
          )
        }
      />
      <div className="flex flex-col gap-3 p-4 max-sm:p-2">
        <ReleaseSteps release={release} adoption={adoption} watch={watch} />
        <div className="grid grid-cols-1 items-start gap-3 lg:grid-cols-[minmax(0,1fr)_344px]">
          <div className="flex min-w-0 flex-col gap-3">
            {applied.error !== null && adoption === undefined ? (
              <FailedCard title="Adoption" query={applied} />
            ) : (
              <AdoptionCard release={release} adoption={adoption} />
            )}
            {successor === null && adoption !== undefined && adoption.runtimes.length > 0 && (
              <RuntimeTable adoption={adoption} previousVersion={previousVersion} />
            )}
            <Behind release={release} />
          </div>
          <div className="flex min-w-0 flex-col gap-3">
            {watch === undefined ? (
              monitored.error === null ? (
                <Skeleton className="h-48" />
              ) : (
                <FailedCard title="Monitoring" query={monitored} />
              )
            ) : (
              <MonitoringCard release={release} watch={watch} staged={staged} />
            )}
            <Changes release={release} query={config} />
          </div>
        </div>
      </div>
    </>
  )
}

function By({ author, at, note }: Pick<Successor, 'author' | 'at' | 'note'>) {
  return (
    <>
      by {author ?? 'a former member'} on <Timestamp at={at} style="second" />
      {note !== null && <> · “{note}”</>}
    </>
  )
}

function End({ successor }: { readonly successor: Successor }) {
  const { id, kind, version } = successor
  return (
    <p className="w-full">
      {kind === 'rollback' ? 'Rolled back to' : 'Replaced by'}{' '}
      <Link href={`/releases/${id}`} className="text-link hover:underline">
        v{version}
      </Link>{' '}
      <By {...successor} />
    </p>
  )
}

interface Asked {
  readonly error: Failure | null
  readonly refetch: () => unknown
}

function Changes({
  release: { previousVersion, version },
  query: { data, error, refetch },
}: {
  readonly release: ReleaseDetail
  readonly query: Asked & { readonly data: ConfigDetail | undefined }
}) {
  if (data === undefined && error !== null) {
    return <FailedCard title="What changed" query={{ error, refetch }} />
  }
  return (
    <Card>
      <CardHeader
        title="What changed"
        aside={previousVersion === null ? 'first version here' : `against v${previousVersion}`}
      />
      <div className="p-3">
        {data === undefined ? (
          <Skeleton className="w-3/5" />
        ) : (
          <VersionChanges config={data} from={previousVersion} to={version} />
        )}
      </div>
    </Card>
  )
}

function FailedCard({
  title,
  query: { error, refetch },
}: {
  readonly title: string
  readonly query: Asked
}) {
  return (
    <Card>
      <CardHeader title={title} />
      <ErrorState
        what={`${title} could not be loaded.`}
        why={error ?? ''}
        onRetry={() => void refetch()}
      />
    </Card>
  )
}

const TICKED = {
  runtimes: 'some runtimes lacked a rule type',
  backtest: 'the backtest showed new violations or was older than the text',
  cases: 'pinned cases failed',
} as const

function tickedText(id: string): string {
  return id === 'runtimes' || id === 'backtest' || id === 'cases' ? TICKED[id] : id
}

function Behind({ release }: { readonly release: ReleaseDetail }) {
  const { approvals, approvalSkipped, acknowledged, digest, scheduleId } = release
  const { tighten, tightened } = release
  const approved =
    approvals.length === 0 ? (
      approvalSkipped ? (
        'skipped: this environment allows rollbacks without approval'
      ) : (
        'none required'
      )
    ) : (
      <ul>
        {approvals.map(({ person_id, person, at, note }) => (
          <li key={person_id}>
            {person ?? 'a former member'}, <Timestamp at={at} style="second" />
            {note !== null && ` · “${note}”`}
          </li>
        ))}
      </ul>
    )
  return (
    <Card>
      <CardHeader title="Details" />
      <KeyValueList
        className="p-3"
        items={[
          { name: 'Author', value: release.author ?? 'A former member' },
          ...(scheduleId === null ? [] : [{ name: 'Created', value: 'by plan' }]),
          ...(release.note === null ? [] : [{ name: 'Note', value: release.note }]),
          { name: 'Approvals', value: approved },
          ...(acknowledged.length === 0
            ? []
            : [{ name: 'Acknowledged', value: acknowledged.map(tickedText).join('; ') }]),
          {
            name: 'Running sessions',
            value: tighten
              ? `asked to switch to it immediately; ${plural(tightened, 'session')} did`
              : 'keep their version',
          },
          { name: 'Revision', value: <code>{release.revision}</code> },
          {
            name: 'Content',
            value: (
              <span className="inline-flex items-center gap-0.5">
                <code title={digest}>
                  {digest.slice(7, 11)}…{digest.slice(-4)}
                </code>
                <CopyButton text={digest} label="Copy the digest" />
              </span>
            ),
          },
          { name: 'ID', value: <IdChip id={release.id} label="Copy the release ID" /> },
        ]}
      />
    </Card>
  )
}

function NoRollback({ environment }: { readonly environment: string }) {
  return (
    <ReasonedButton isAllowed={false} reason={`${environment} never ran another version.`}>
      <Undo2 size={14} aria-hidden /> Roll back
    </ReasonedButton>
  )
}

/** Without the config, the version before is not known here. The page of the versions finds it. */
function WaysElsewhere({ release }: { readonly release: ReleaseDetail }) {
  const router = useRouter()
  const { ns, key, environment, version, previousVersion, successor } = release
  const versions = `${configPath(ns, key)}/versions`
  return (
    <>
      <LinkButton href={`${versions}?version=${version}`}>Open v{version}</LinkButton>
      {successor === null && previousVersion === null && <NoRollback environment={environment} />}
      {successor === null && previousVersion !== null && (
        <ReleaseButton
          environment={environment}
          onClick={() => router.push(`${versions}?move=rollback:${environment}:previous`)}
        >
          <Undo2 size={14} aria-hidden /> Roll back
        </ReleaseButton>
      )}
    </>
  )
}

function Ways({
  release,
  adoption,
  config,
}: {
  readonly release: ReleaseDetail
  readonly adoption: Adoption | undefined
  readonly config: ConfigDetail
}) {
  const trpc = useTRPC()
  const environments = useQuery(trpc.environments.list.queryOptions())
  const [move, setMove] = useState<Move | null>(null)
  const { environment, version, nextEnvironment: next, successor } = release
  const isCurrent = successor === null
  const [before] = rollbackTargets(config, environment)
  const back: Move | null =
    isCurrent && before !== undefined ? { kind: 'rollback', environment, version: before } : null
  const demands = environments.data?.find(({ name }) => name === move?.environment)
  const on: Move | null =
    isCurrent && next !== null && (liveIn(config, next.name) ?? 0) < version
      ? { kind: 'promote', environment: next.name, version }
      : null
  usePageActions(useMoveActions(setMove)([on, back]))
  const holder = isCurrent && adoption !== undefined ? findHolder(adoption) : null
  const problem =
    holder !== null && adoption !== undefined && isPartlyApplied(adoption) ? holder : null
  const isWaiting = adoption?.status === 'waiting'
  return (
    <>
      <LinkButton href={`${configPath(config.ns, config.key)}/versions?version=${version}`}>
        Open v{version}
      </LinkButton>
      {isCurrent && back === null && <NoRollback environment={environment} />}
      {back !== null && (
        <ReleaseButton environment={environment} onClick={() => setMove(back)}>
          <Undo2 size={14} aria-hidden /> Roll back to v{back.version}
        </ReleaseButton>
      )}
      {problem !== null && (
        <LinkButton variant="primary" href={`/runtimes/${problem.id}`}>
          See {problem.name}
        </LinkButton>
      )}
      {problem === null && on !== null && (
        <ReleaseButton
          // While no runtime has it, the next step is to connect one.
          variant={isWaiting ? 'secondary' : 'primary'}
          environment={on.environment}
          onClick={() => setMove(on)}
        >
          <ArrowRight size={14} aria-hidden /> Promote to {on.environment}
        </ReleaseButton>
      )}
      {move !== null && demands !== undefined && (
        <MoveDialog
          key={`${move.kind} ${move.environment}`}
          config={config}
          demands={demands}
          move={move}
          onMove={setMove}
        />
      )}
    </>
  )
}
