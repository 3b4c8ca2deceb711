'use client'

import { plural } from '@signalbox/core/analysis'
import { useQuery } from '@tanstack/react-query'
import { ConfigCrumbs } from '@/components/configs/config-crumbs.tsx'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { ShadowCard } from '@/components/staged-rollouts/shadow-card.tsx'
import { EndedRollout, RolloutCard } from '@/components/staged-rollouts/staged-rollout-card.tsx'
import { StartCard } from '@/components/staged-rollouts/start-card.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { PageHeader } from '@/components/ui/page-header.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'

/** Sessions start with both versions all the time; the job that evaluates them runs every minute. */
const REFETCH_MS = 5_000

export function StagedRolloutPage({ ns, key_ }: { readonly ns: string; readonly key_: string }) {
  const trpc = useTRPC()
  const prompt = { ns, key: key_ }
  const overview = useQuery({
    ...trpc.stagedRollouts.of.queryOptions(prompt),
    refetchInterval: REFETCH_MS,
  })
  const config = useQuery(trpc.configs.get.queryOptions(prompt))
  const environments = useQuery(trpc.runtimes.environments.queryOptions())
  useReadOnChange({ kind: 'config' }, overview, config)
  const error = overview.error ?? config.error
  if (error !== null && (overview.data === undefined || config.data === undefined)) {
    return (
      <ErrorState
        what={`The staged rollout of ${ns}/${key_} could not be loaded.`}
        why={error}
        onRetry={() => void Promise.all([overview.refetch(), config.refetch()])}
      />
    )
  }
  if (overview.data === undefined || config.data === undefined) return <SkeletonRows />
  const { rollouts, shadows, rejections } = overview.data
  const running = rollouts.filter(({ state }) => state === 'running')
  const ended = rollouts.filter(({ state }) => state !== 'running')
  const shared = { ns, name: key_ }
  return (
    <>
      <PageHeader
        above={<ConfigCrumbs ns={ns} name={key_} here="Staged rollout" />}
        title={`Staged rollout of ${ns}/${key_}`}
        facts={describeRollouts(running.length, shadows.length)}
      />
      <div className="flex flex-col gap-3 p-4 max-sm:p-2">
        {rejections.length > 0 && <Rejections rejections={rejections} />}
        {running.map((rollout) => (
          <RolloutCard key={rollout.id} rollout={rollout} {...shared} />
        ))}
        {shadows.map((shadow) => (
          <ShadowCard key={shadow.environment} shadow={shadow} {...shared} />
        ))}
        <StartCard config={config.data} environments={environments.data ?? []} />
        <Card>
          <CardHeader title="Ended" aside={`${ended.length}`} />
          {ended.length === 0 ? (
            <EmptyState title="No staged rollouts have ended yet." />
          ) : (
            <ul>
              {ended.map((rollout) => (
                <EndedRollout key={rollout.id} rollout={rollout} />
              ))}
            </ul>
          )}
        </Card>
      </div>
    </>
  )
}

function describeRollouts(running: number, shadows: number): string {
  const rollouts = `${plural(running, 'rollout')} ${running === 1 ? 'runs' : 'run'}`
  const beside = plural(shadows, 'shadow version')
  return `${rollouts} · ${beside}`
}

function Rejections({
  rejections,
}: {
  readonly rejections: readonly {
    readonly runtime: string
    readonly environment: string
    readonly part: string
    readonly version: number
    readonly reason: string
  }[]
}) {
  return (
    <ul
      role="alert"
      className="flex flex-col gap-1 rounded-card border border-warning-bd bg-warning-bg p-3 text-warning-fg"
    >
      {rejections.map(({ runtime, environment, part, version, reason }) => (
        <li key={`${runtime} ${environment} ${part}`} className="break-words">
          {runtime} in {environment} cannot use the {part} v{version}, so its sessions keep the
          version in force: {reason}
        </li>
      ))}
    </ul>
  )
}
