'use client'
// A run uses the draft as saved at its start.
import { useQuery } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { InstantField } from '@/components/ui/instant-field.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { lazySection } from '@/components/ui/lazy-section.tsx'
import { Link } from '@/components/ui/link.tsx'
import { Select } from '@/components/ui/select.tsx'
import { EmptyState, ErrorLine, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { BacktestRow } from '@/server/backtests/backtest-list.sql.ts'
import { Cases } from './cases.tsx'
import { parseInstants, rangeText, SAMPLES } from './sample.ts'
import { SampleText } from './sample-text.tsx'
import type { BacktestRun } from './use-run.ts'

const BacktestResult = lazySection(
  () => import('./result.tsx').then((module) => module.BacktestResult),
  <SkeletonRows />,
)

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
  useReadOnChange({ kind: 'backtest' }, query)
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
      <SampleBar
        run={run}
        label={newest === undefined ? 'Run backtest' : 'Run again'}
        prompt={`${ns}/${prompt}`}
      />
      {newest === undefined ? (
        <>
          <EmptyState title="No backtest yet.">
            A backtest replays recorded sessions under this draft and shows every call and stop that
            would be decided differently. Nothing is sent to any agent.
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

const RANGE = 'range'
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

function SampleSelect({ run: { text, setText, views } }: { readonly run: BacktestRun }) {
  const isRange = parseInstants(text) !== null
  const offered = [
    ...SAMPLES,
    { value: RANGE, label: 'Custom time range' },
    ...views.map(({ id, name }) => ({ value: id, label: `View: ${name}` })),
  ]
  const isKnown = isRange || offered.some(({ value }) => value === text)
  const choose = (next: string): void => {
    if (next !== RANGE) {
      setText(next)
      return
    }
    if (isRange) return
    const to = Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS
    setText(rangeText({ from: to - DAY_MS, to }))
  }
  return (
    <Select<string>
      label="Sample"
      value={isRange ? RANGE : text}
      options={isKnown ? offered : [...offered, { value: text, label: text }]}
      onChange={choose}
      className="w-52"
    />
  )
}

function RangeFields({ run: { text, setText } }: { readonly run: BacktestRun }) {
  const range = parseInstants(text)
  if (range === null) return null
  const change = (part: { readonly from?: number; readonly to?: number }): void =>
    setText(rangeText({ ...range, ...part }))
  return (
    <div className="flex w-full flex-wrap items-end gap-2">
      <InstantField
        label="From"
        at={range.from}
        onChange={(from) => from !== null && change({ from })}
      />
      <InstantField label="To" at={range.to} onChange={(to) => to !== null && change({ to })} />
    </div>
  )
}

function SampleBar({
  run,
  label,
  prompt,
}: {
  readonly run: BacktestRun
  readonly label: string
  /** `ns/key` */
  readonly prompt: string
}) {
  return (
    <div className="flex flex-wrap items-center gap-2 border-border border-b bg-surface-2 px-4 py-1.5">
      <SampleSelect run={run} />
      <span className="text-text-2">and pinned cases</span>
      {run.views.length === 0 && (
        <Link
          className="text-link text-small hover:underline"
          href={`/sessions?prompt=${encodeURIComponent(prompt)}&status=all`}
        >
          Choose a saved session view…
        </Link>
      )}
      <Button
        variant="secondary"
        className="ml-auto"
        disabled={run.hindrance !== null || run.start.isPending}
        onClick={run.run}
      >
        <Play size={14} aria-hidden />
        {label}
        <Kbd>⌘Enter</Kbd>
      </Button>
      <RangeFields run={run} />
      {run.hindrance !== null && <p className="w-full text-text-2">{run.hindrance}</p>}
      <ErrorLine className="w-full">{run.start.error?.message}</ErrorLine>
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
            <span>
              <SampleText sample={run.sample} />
            </span>
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
