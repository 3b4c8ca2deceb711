'use client'
import { DEMO_NAMESPACE } from '@signalbox/wire'
import { useQuery } from '@tanstack/react-query'
import { liveIn } from '@/components/paths/live-in.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import type { ConfigDetail } from '@/server/configs/configs.ts'
import { RulesInWords } from './rules-in-words.tsx'

export function RulesInForce({
  config,
  environment,
}: {
  readonly config: ConfigDetail
  /** Null: no environment runs a version. */
  readonly environment: string | null
}) {
  const number = environment === null ? null : liveIn(config, environment)
  if (environment === null || number === null) {
    return (
      <Card>
        <EmptyState title="No version is live.">
          {config.newestVersion === null
            ? 'This config has only a draft. Publish it to see its rules here.'
            : 'No environment runs a version of this config.'}
        </EmptyState>
      </Card>
    )
  }
  return <VersionRules config={config} environment={environment} number={number} />
}

function VersionRules({
  config: { ns, key },
  environment,
  number,
}: {
  readonly config: ConfigDetail
  readonly environment: string
  readonly number: number
}) {
  const trpc = useTRPC()
  const version = useQuery({
    ...trpc.configs.version.queryOptions({ ns, key, number }),
    // A version never changes.
    staleTime: Number.POSITIVE_INFINITY,
  })
  const activity = useQuery(trpc.drafts.activity.queryOptions({ ns, key, environment }))
  return (
    <Card>
      <CardHeader title="Rules" aside={`v${number}, released to ${environment}`} />
      {version.data === undefined && version.error === null && <SkeletonRows />}
      {version.error !== null && version.data === undefined && (
        <ErrorState
          what={`Could not read v${number}.`}
          why={version.error}
          onRetry={() => void version.refetch()}
        />
      )}
      {version.data !== undefined && (
        <RulesInWords
          rules={version.data.rules}
          // The demo's sessions are in no count.
          activity={
            ns === DEMO_NAMESPACE || activity.data === undefined
              ? null
              : { ...activity.data, environment }
          }
        />
      )}
      {activity.error !== null && activity.data === undefined && (
        <p role="alert" className="border-border border-t px-3 py-2 text-text-2">
          How often each rule fired could not be read: {activity.error.message}
        </p>
      )}
    </Card>
  )
}
