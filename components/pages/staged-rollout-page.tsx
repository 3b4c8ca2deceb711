'use client'

import { useQuery } from '@tanstack/react-query'
import { ConfigCrumbs } from '@/components/configs/config-crumbs.tsx'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { PageHeader } from '@/components/shell/page-header.tsx'
import { EndedRollout } from '@/components/staged-rollouts/ended-rollout.tsx'
import { ShadowCard } from '@/components/staged-rollouts/shadow-card.tsx'
import {
  EndFacts,
  RolloutActions,
  RolloutBody,
  RolloutFacts,
  rolloutTitle,
  WorseSentence,
} from '@/components/staged-rollouts/staged-rollout-card.tsx'
import { StartCard } from '@/components/staged-rollouts/start-card.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { StatusBadge } from '@/components/ui/status-badge.tsx'
import type { RolloutView } from '@/server/staged-rollouts/staged-rollout-overview.ts'

/** Sessions start with both versions all the time; the job that evaluates them runs every minute. */
const REFETCH_MS = 15_000

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
  // The first has the header of the page; a config has one rollout per environment.
  const [main, ...others] = running
  const [newest] = ended
  return (
    <>
      <Header main={main} newest={newest} ns={ns} name={key_} />
      <div className="flex flex-col gap-3 p-4 max-sm:p-2">
        {rejections.length > 0 && <Rejections rejections={rejections} />}
        {main !== undefined && <RolloutBody rollout={main} config={config.data} />}
        {main === undefined && newest?.state === 'rolled_back' && (
          <WorseSentence rollout={newest} />
        )}
        {others.map((rollout) => (
          <section key={rollout.id} className="flex flex-col gap-3">
            <header className="flex flex-wrap items-center gap-2">
              <h2 className="min-w-0 flex-1 basis-60 font-semibold text-h1">
                {rolloutTitle(rollout)}
              </h2>
              <RolloutActions rollout={rollout} {...shared} />
            </header>
            <RolloutBody rollout={rollout} config={config.data} />
          </section>
        ))}
        {shadows.map((shadow) => (
          <ShadowCard key={shadow.environment} shadow={shadow} {...shared} />
        ))}
        <StartCard
          config={config.data}
          ended={ended}
          environments={(environments.data ?? []).filter(
            ({ name }) => !running.some(({ environment }) => environment === name),
          )}
          isIdle={main === undefined}
        />
        {ended.length > 0 && (
          <Card>
            <CardHeader title="Ended" aside={`${ended.length}`} />
            <ul>
              {ended.map((rollout) => (
                <EndedRollout key={rollout.id} rollout={rollout} />
              ))}
            </ul>
          </Card>
        )}
      </div>
    </>
  )
}

function Header({
  main,
  newest,
  ns,
  name,
}: {
  /** Undefined: none is running. */
  readonly main: RolloutView | undefined
  /** Undefined: none has ended. */
  readonly newest: RolloutView | undefined
  readonly ns: string
  readonly name: string
}) {
  const crumbs = { href: '/releases', label: 'Rollouts' }
  return (
    <PageHeader
      above={<ConfigCrumbs ns={ns} name={name} from={crumbs} here="Staged rollout" />}
      title={
        main === undefined ? (
          `Staged rollout of ${ns}/${name}`
        ) : (
          <>
            {rolloutTitle(main)}{' '}
            <span className="ml-1 inline-flex align-bottom">
              {main.kind === 'staged' ? (
                <StatusBadge status="staged">Staged</StatusBadge>
              ) : (
                <StatusBadge status="monitored">Monitored</StatusBadge>
              )}
            </span>
          </>
        )
      }
      facts={
        main !== undefined ? (
          <RolloutFacts rollout={main} />
        ) : newest !== undefined ? (
          <EndFacts rollout={newest} />
        ) : (
          'Releases to a share of sessions, and shadow versions'
        )
      }
      actions={main !== undefined && <RolloutActions rollout={main} ns={ns} name={name} />}
    />
  )
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
