'use client'
// The Backtest tab of the editor: which sessions, run, and the newest result. What it runs on is the draft as it is saved then.
import { useQuery } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { parseAsString, useQueryState } from 'nuqs'
import { Link } from '@/components/ui/link.tsx'
import type { BacktestRow } from '@/server/read-models/backtests.ts'
import { useReadOnHint } from '../live/use-read-on-hint.ts'
import { useTRPC } from '../trpc-provider.tsx'
import { Button } from '../ui/button.tsx'
import { Select } from '../ui/select.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../ui/states.tsx'
import { Timestamp } from '../ui/time.tsx'
import { Cases } from './cases.tsx'
import { BacktestResult } from './result.tsx'
import { DEFAULT_SAMPLE, SAMPLES, sampleOf } from './sample.ts'
import { type Subject, useStartBacktest } from './use-run.ts'
import { plural, sampleText } from './words.ts'

export interface BacktestPlace {
  readonly ns: string
  readonly key: string
  /** The draft as saved now; null: it cannot be saved. */
  readonly subject: () => Promise<Subject | null>
  /** Why the reader cannot run it; null when they can. */
  readonly why: string | null
  /** Problems of the text that refuse a run. */
  readonly errors: number
}

/** Sample and run button live where the keys do, so that ⌘Enter works on every tab. */
export function useBacktestRun({ ns, key, subject, why, errors }: BacktestPlace) {
  const [text, setText] = useQueryState('sample', parseAsString.withDefault(DEFAULT_SAMPLE))
  const start = useStartBacktest()
  const sample = sampleOf(text, Date.now())
  const hindrance =
    why ??
    (errors > 0 ? `${plural(errors, 'problem')} must be mended before it can run.` : null) ??
    (sample === null ? `“${text}” names no sample.` : null)
  const run = (): void => {
    if (hindrance === null && sample !== null && !start.isPending) {
      start.mutate({ ns, key, sample, subject })
    }
  }
  return { text, setText: (next: string) => void setText(next), hindrance, run, start }
}

export type BacktestRun = ReturnType<typeof useBacktestRun>

export function BacktestTab({
  ns,
  prompt,
  run,
  why,
}: {
  readonly ns: string
  /** Key of the prompt in `ns`. */
  readonly prompt: string
  readonly run: BacktestRun
  readonly why: string | null
}) {
  const trpc = useTRPC()
  const query = useQuery(trpc.backtests.of.queryOptions({ ns, key: prompt }))
  useReadOnHint({ kind: 'backtest' }, query.refetch)
  const access = { mayEdit: why === null, why }
  if (query.data === undefined) {
    if (query.error === null) return <SkeletonRows />
    return (
      <ErrorState
        what="The backtests could not be loaded."
        why={query.error}
        onRetry={() => void query.refetch()}
      />
    )
  }
  const { runs, cases } = query.data
  const [newest, ...earlier] = runs
  return (
    <div className="h-full overflow-y-auto">
      <SampleBar run={run} label={newest === undefined ? 'Run backtest' : 'Run again'} />
      {newest === undefined ? (
        <>
          <EmptyState title="This config was not backtested yet.">
            A backtest replays recorded sessions under this draft and shows every call and stop that
            would be decided otherwise. Nothing is sent to any agent.
          </EmptyState>
          {cases.length > 0 && <Cases cases={cases} results={[]} access={access} />}
        </>
      ) : (
        <BacktestResult
          id={newest.id}
          cases={cases}
          access={access}
          again={
            <Button
              disabled={run.hindrance !== null || run.start.isPending}
              title={run.hindrance ?? undefined}
              onClick={run.run}
            >
              Run again
            </Button>
          }
        />
      )}
      <Earlier runs={earlier} />
    </div>
  )
}

function SampleBar({ run, label }: { readonly run: BacktestRun; readonly label: string }) {
  const known = SAMPLES.some(({ value }) => value === run.text)
  const options = known ? SAMPLES : [...SAMPLES, { value: run.text, label: run.text }]
  return (
    <div className="flex flex-wrap items-center gap-2 border-border border-b bg-surface-2 px-4 py-1.5">
      <Select<string>
        label="Sample"
        value={run.text}
        options={options}
        onChange={run.setText}
        className="w-48"
      />
      <span className="text-text-2">and the pinned cases</span>
      <Button
        variant="secondary"
        className="ml-auto"
        disabled={run.hindrance !== null || run.start.isPending}
        onClick={run.run}
      >
        <Play size={14} aria-hidden />
        {label}
        <kbd className="font-mono text-micro text-text-2">⌘↵</kbd>
      </Button>
      {run.hindrance !== null && <p className="w-full text-text-2">{run.hindrance}</p>}
      {run.start.error !== null && (
        <p role="alert" className="w-full text-deny-fg">
          {run.start.error.message}
        </p>
      )}
    </div>
  )
}

function Earlier({ runs }: { readonly runs: readonly BacktestRow[] }) {
  if (runs.length === 0) return null
  return (
    <section aria-labelledby="earlier-runs" className="px-4 py-3">
      <h2 id="earlier-runs" className="font-semibold text-h2">
        Earlier runs
      </h2>
      <ul className="mt-1 flex flex-col gap-1">
        {runs.map((run) => (
          <li key={run.id} className="flex flex-wrap gap-x-3 text-text-2">
            <Link className="text-link" href={`/backtests/${run.id}`}>
              <Timestamp at={run.createdAt} style="second" />
            </Link>
            <span>{sampleText(run.sample)}</span>
            <span>{run.status}</span>
            <span className="tabular-nums">
              would deny {run.wouldDeny}, allow {run.wouldAllow}, block {run.wouldBlock}, release{' '}
              {run.wouldRelease}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
