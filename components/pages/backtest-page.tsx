'use client'
// At its own address, so that it can be shared and read after newer runs.

import { plural } from '@signalbox/core/analysis'
import { useQuery } from '@tanstack/react-query'
import { BacktestResult, useBacktest } from '@/components/backtests/result.tsx'
import { ConfigCrumbs } from '@/components/configs/config-crumbs.tsx'
import { CopyLinkButton } from '@/components/explanations/explanation-layout.tsx'
import { configPath } from '@/components/paths/config-path.ts'
import { PageHeader } from '@/components/shell/page-header.tsx'
import { useRight } from '@/components/shell/use-right.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { LinkButton } from '@/components/ui/button.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'

export function BacktestPage({ id }: { readonly id: string }) {
  const { data: run, error, refetch } = useBacktest(id)
  if (run === undefined) {
    if (error === null) return <SkeletonRows />
    return (
      <ErrorState
        what="The backtest could not be loaded."
        why={error}
        onRetry={() => void refetch()}
      />
    )
  }
  const { ns, key } = run
  const changed = run.wouldDeny + run.wouldAllow + run.wouldBlock + run.wouldRelease
  return (
    <>
      <PageHeader
        above={
          <nav aria-label="Breadcrumb">
            <ConfigCrumbs ns={ns} name={key} here="Backtest" />
          </nav>
        }
        title={
          changed === 0
            ? `Backtest of ${ns}/${key}: no verdict would change`
            : `Backtest of ${ns}/${key}: ${plural(changed, 'verdict')} would change`
        }
        actions={
          <>
            <CopyLinkButton path={`/backtests/${id}`} />
            <LinkButton href={`${configPath(ns, key)}/edit?tab=backtest`}>
              Open the draft
            </LinkButton>
          </>
        }
      />
      <Result id={id} ns={ns} prompt={key} />
    </>
  )
}

function Result({
  id,
  ns,
  prompt,
}: {
  readonly id: string
  readonly ns: string
  readonly prompt: string
}) {
  const trpc = useTRPC()
  const { data } = useQuery(trpc.backtests.of.queryOptions({ ns, key: prompt }))
  const { isAllowed: mayEdit, reason: why } = useRight('editor')
  return <BacktestResult id={id} cases={data?.cases ?? []} again={null} access={{ mayEdit, why }} />
}
