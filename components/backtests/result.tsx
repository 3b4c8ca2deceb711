'use client'
import { countText } from '@signalbox/core/analysis'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import type { BacktestView } from '@/server/backtests/backtests.ts'
import type { PinnedCase } from '@/server/backtests/pinned-case-list.sql.ts'
import { type CaseAccess, Cases } from './cases.tsx'
import { Changes } from './change-list.tsx'
import { RunStatus, Unreplayed } from './run-status.tsx'
import { SessionRolls } from './session-list.tsx'
import { type ChangeView, useChangeView } from './use-change-view.ts'
import { CLASS_WORDS } from './words.ts'

function Figures({ run, view }: { readonly run: BacktestView; readonly view: ChangeView }) {
  const classes = [
    ['would_deny', run.wouldDeny],
    ['would_allow', run.wouldAllow],
    ['would_block', run.wouldBlock],
    ['would_release', run.wouldRelease],
  ] as const
  return (
    <div className="grid grid-cols-2 gap-px border-border border-b bg-border sm:grid-cols-4 xl:grid-cols-7 [&>:last-child]:max-xl:col-span-2">
      {classes.map(([name, count]) => (
        <button
          key={name}
          type="button"
          aria-pressed={view.class === name}
          onClick={() => view.setClass(view.class === name ? null : name)}
          className="flex flex-col items-start bg-surface px-3 py-2 text-left hover:bg-row-hover aria-pressed:bg-row-selected"
        >
          <Figure value={count} isLoud={count > 0} />
          <span className="block text-small text-text-2">{CLASS_WORDS[name]}</span>
        </button>
      ))}
      <Plain value={run.unchanged} label="Unchanged" />
      <Plain value={run.cannotReplay} label="Cannot be replayed" />
      <Plain
        value={run.lateChanged + run.lateUnchanged}
        label={`After divergence, ${countText(run.lateChanged)} of them changed`}
      />
    </div>
  )
}

function Plain({ value, label }: { readonly value: number; readonly label: string }) {
  return (
    <div className="bg-surface px-3 py-2">
      <Figure value={value} isLoud={false} />
      <span className="block text-small text-text-2">{label}</span>
    </div>
  )
}

function Figure({ value, isLoud }: { readonly value: number; readonly isLoud: boolean }) {
  return (
    <span className={clsx('block font-semibold text-h1 tabular-nums', !isLoud && 'text-text-2')}>
      {countText(value)}
    </span>
  )
}

export function useBacktest(id: string) {
  const trpc = useTRPC()
  const queries = useQueryClient()
  const query = useQuery(trpc.backtests.get.queryOptions({ id }))
  // Changes and sessions grow while a run is in progress.
  const refetch = () => queries.invalidateQueries({ queryKey: trpc.backtests.pathKey() })
  useReadOnChange({ kind: 'backtest' }, { refetch, isLoading: query.isLoading })
  useReadOnChange({ kind: 'config' }, query)
  return query
}

export function BacktestResult({
  id,
  cases,
  again,
  access,
}: {
  readonly id: string
  readonly cases: readonly PinnedCase[]
  readonly again: ReactNode
  readonly access: CaseAccess
}) {
  const query = useBacktest(id)
  const view = useChangeView()
  const run = query.data
  if (run === undefined) {
    if (query.error === null) return <SkeletonRows />
    return (
      <ErrorState
        what="The backtest could not be loaded."
        why={query.error}
        onRetry={() => void query.refetch()}
      />
    )
  }
  return (
    <>
      <RunStatus run={run} again={again} />
      <Figures run={run} view={view} />
      <Unreplayed run={run} />
      <ViewBar run={run} view={view} cases={cases.length} />
      <Chosen run={run} view={view} cases={cases} access={access} />
    </>
  )
}

function Chosen({
  run,
  view,
  cases,
  access,
}: {
  readonly run: BacktestView
  readonly view: ChangeView
  readonly cases: readonly PinnedCase[]
  readonly access: CaseAccess
}) {
  switch (view.by) {
    case 'changes':
      return <Changes run={run} view={view} />
    case 'sessions':
      return <SessionRolls id={run.id} view={view} />
    case 'cases':
      return <Cases cases={cases} results={run.caseResults} access={access} />
    default:
      return view.by satisfies never
  }
}

function ViewBar({
  run,
  view,
  cases,
}: {
  readonly run: BacktestView
  readonly view: ChangeView
  readonly cases: number
}) {
  const failing = run.caseResults.filter(
    ({ verdict, expected }) => verdict !== null && verdict !== 'unknown' && verdict !== expected,
  ).length
  const changes = run.groups.reduce((sum, group) => sum + group.changes, 0)
  const views = [
    ['changes', `Changes ${countText(changes)}`],
    ['sessions', `Sessions ${countText(run.sessions)}`],
    [
      'cases',
      failing === 0 ? `Pinned cases ${cases}` : `Pinned cases ${cases}, ${failing} failing`,
    ],
  ] as const
  return (
    <div
      role="toolbar"
      aria-label="Result"
      className="flex flex-wrap gap-1 border-border border-b bg-surface px-2"
    >
      {views.map(([name, label]) => (
        <button
          key={name}
          type="button"
          aria-pressed={view.by === name}
          onClick={() => view.setBy(name)}
          className="-mb-px h-9 border-transparent border-b-2 px-2 text-text-2 hover:text-text aria-pressed:border-text aria-pressed:font-medium aria-pressed:text-text"
        >
          {label}
        </button>
      ))}
    </div>
  )
}
