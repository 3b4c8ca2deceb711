'use client'

import { countText, plural } from '@signalbox/core/analysis'
import { useQuery } from '@tanstack/react-query'
import { ArrowRight, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { ConfigCrumbs } from '@/components/configs/config-crumbs.tsx'
import { useMoveActions } from '@/components/configs/use-move-actions.ts'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { configPath } from '@/components/paths/config-path.ts'
import { liveIn } from '@/components/paths/live-in.ts'
import { adoptionPoints } from '@/components/releases/adoption-points.ts'
import { AdoptionView, useAdoption } from '@/components/releases/adoption-view.tsx'
import { MoveDialog } from '@/components/releases/lazy-move-dialog.ts'
import { type Move, rollbackTargets } from '@/components/releases/moves.ts'
import { ReleaseWatch } from '@/components/releases/release-watch.tsx'
import { ReleaseWords } from '@/components/releases/release-words.tsx'
import { VersionChanges } from '@/components/releases/version-changes.tsx'
import { usePageActions } from '@/components/shell/page-actions.ts'
import { ReleaseButton } from '@/components/shell/release-button.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { LinkButton } from '@/components/ui/button.tsx'
import { Card, CardHeader, KeyValueList } from '@/components/ui/card.tsx'
import { CopyButton, IdChip } from '@/components/ui/copy.tsx'
import { lazySection } from '@/components/ui/lazy-section.tsx'
import { PageHeader } from '@/components/ui/page-header.tsx'
import { ErrorState, Skeleton, SkeletonRows } from '@/components/ui/states.tsx'
import { Timestamp, useNow } from '@/components/ui/time.tsx'
import type { ConfigDetail } from '@/server/configs/configs.ts'
import type { ReleaseDetail } from '@/server/releases/release-pages.ts'

const AdoptionChart = lazySection(
  () => import('@/components/releases/adoption-chart.tsx').then((module) => module.AdoptionChart),
  <Skeleton className="m-3 h-[136px]" />,
)

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
  const { ns, key, environment, version, previousVersion } = release
  const trpc = useTRPC()
  const config = useQuery(trpc.configs.get.queryOptions({ ns, key }))
  return (
    <>
      <PageHeader
        above={<ConfigCrumbs ns={ns} name={key} from={{ href: '/releases', label: 'Releases' }} />}
        title={
          <>
            {ns}/{key} <ReleaseWords release={release} />
          </>
        }
        facts={
          <>
            {release.author ?? 'Signalbox'} · <Timestamp at={release.createdAt} style="second" />
            {release.note !== null && <> · “{release.note}”</>}
          </>
        }
        actions={config.data !== undefined && <Ways release={release} config={config.data} />}
      />
      <div className="grid grid-cols-1 items-start gap-3 p-4 max-sm:p-2 lg:grid-cols-[2fr_1fr]">
        <div className="flex min-w-0 flex-col gap-3">
          <Adopted release={release} />
          <Card>
            <CardHeader
              title={`Changes in ${environment}`}
              aside={previousVersion === null ? 'its first version' : `against v${previousVersion}`}
            />
            <div className="p-3">
              {config.data === undefined ? (
                <Skeleton className="w-3/5" />
              ) : (
                <VersionChanges config={config.data} from={previousVersion} to={version} />
              )}
            </div>
          </Card>
        </div>
        <div className="flex min-w-0 flex-col gap-3">
          <Behind release={release} />
          <ReleaseWatch release={release} />
        </div>
      </div>
    </>
  )
}

function Adopted({ release }: { readonly release: ReleaseDetail }) {
  const { id, createdAt, appliedAt, appliedCount: count, successor } = release
  const { data } = useAdoption(id)
  const now = useNow()
  const isDone = data?.status === 'live'
  const last = appliedAt.at(-1) ?? createdAt
  const until = successor?.at ?? (isDone || now === null ? last + (last - createdAt) * 0.1 : now)
  const points = adoptionPoints({ createdAt, appliedAt, count, until })
  const target = data?.total ?? 0
  return (
    <Card>
      <CardHeader title="Adoption" aside="by the runtimes that host this prompt" />
      <div className="flex flex-col gap-3 p-3">
        <AdoptionView releaseId={id} />
      </div>
      {data === undefined && <Skeleton className="mx-3 mb-3 h-[136px]" />}
      {data !== undefined && count > 0 && (
        <>
          <p className="sr-only">{`${plural(count, 'runtime')} applied it; ${countText(target)} connected now.`}</p>
          <AdoptionChart points={points} target={target} />
        </>
      )}
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
          { name: 'Author', value: release.author ?? 'Signalbox' },
          { name: 'Created', value: scheduleId === null ? 'manually' : 'by plan' },
          { name: 'Note', value: release.note ?? '–' },
          { name: 'Approvals', value: approved },
          {
            name: 'Acknowledged',
            value: acknowledged.length === 0 ? '–' : acknowledged.map(tickedText).join('; '),
          },
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
          { name: 'Id', value: <IdChip id={release.id} label="Copy the release id" /> },
        ]}
      />
    </Card>
  )
}

function Ways({
  release,
  config,
}: {
  readonly release: ReleaseDetail
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
    isCurrent && next !== null && liveIn(config, next.name) !== version
      ? { kind: 'promote', environment: next.name, version }
      : null
  usePageActions(useMoveActions(setMove)([on, back]))
  return (
    <>
      <LinkButton href={`${configPath(config.ns, config.key)}/versions`}>Versions</LinkButton>
      {back !== null && (
        <ReleaseButton environment={environment} onClick={() => setMove(back)}>
          <Undo2 size={14} aria-hidden /> Roll back {environment}
        </ReleaseButton>
      )}
      {on !== null && (
        <ReleaseButton variant="primary" environment={on.environment} onClick={() => setMove(on)}>
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
