'use client'

import { omitUndefined } from '@signalbox/core'
import { plural } from '@signalbox/core/analysis'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { clsx } from 'clsx'
import { X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { usePageKeys } from '@/components/shell/page-keys.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button, IconButton, LinkButton } from '@/components/ui/button.tsx'
import { shortId } from '@/components/ui/copy.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { Link } from '@/components/ui/link.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import type { ListedChange } from '@/server/backtests/backtest-list.sql.ts'
import type { BacktestView } from '@/server/backtests/backtests.ts'
import { ShowMore } from './show-more.tsx'
import type { ChangeView } from './use-change-view.ts'
import { BeforeAfter, VerdictText } from './verdict-text.tsx'
import { CLASS_WORDS, fidelityText } from './words.ts'

const ROW_PX = 52

function toChangeKey({ position, seq, subject }: ListedChange): string {
  return `${position}~${seq}~${subject}`
}

export function Changes({ run, view }: { readonly run: BacktestView; readonly view: ChangeView }) {
  const { changes, query } = useChanges(run, view)
  const selected = changes?.find((change) => toChangeKey(change) === view.change) ?? null
  const step = (by: 1 | -1) => {
    if (changes === undefined || changes.length === 0) return
    const at = selected === null ? (by === 1 ? -1 : changes.length) : changes.indexOf(selected)
    const next = changes[Math.min(changes.length - 1, Math.max(0, at + by))]
    if (next !== undefined) view.select(toChangeKey(next))
  }
  usePageKeys('backtest', [
    { keys: 'j', shown: 'j', does: 'next change', run: () => step(1) },
    { keys: 'k', shown: 'k', does: 'previous change', run: () => step(-1) },
    { keys: 'Escape', shown: 'Esc', does: 'close the change', run: () => view.select(null) },
  ])
  if (changes === undefined) {
    if (query.error === null) return <SkeletonRows />
    return (
      <ErrorState
        what="The changes could not be loaded."
        why={query.error}
        onRetry={() => void query.refetch()}
      />
    )
  }
  return (
    <div className="flex min-h-0 flex-col lg:flex-row">
      <div className="min-w-0 flex-1">
        <Groups run={run} view={view} />
        <Filters view={view} />
        {changes.length === 0 ? (
          <NoChanges run={run} view={view} />
        ) : (
          <Rows changes={changes} view={view} />
        )}
        <ShowMore query={query} />
      </div>
      {selected !== null && <Peek change={selected} onClose={() => view.select(null)} />}
    </div>
  )
}

function useChanges(run: BacktestView, view: ChangeView) {
  const trpc = useTRPC()
  const filter = {
    ...omitUndefined({
      rule: view.rule ?? undefined,
      class: view.class ?? undefined,
      sessionId: view.session ?? undefined,
    }),
  }
  const query = useInfiniteQuery(
    trpc.backtests.changes.infiniteQueryOptions(
      { id: run.id, filter },
      { getNextPageParam: (page) => page.next },
    ),
  )
  return { query, changes: query.data?.pages.flatMap((page) => page.changes) }
}

function NoChanges({ run, view }: { readonly run: BacktestView; readonly view: ChangeView }) {
  if (view.class !== null || view.rule !== null || view.session !== null) {
    return (
      <EmptyState
        title="No change matches the filter."
        action={<Button onClick={() => view.setClass(null)}>Show all changes</Button>}
      />
    )
  }
  if (run.status === 'queued' || run.status === 'running') {
    return <EmptyState title="Nothing changed so far." />
  }
  return (
    <EmptyState title="No decisions would change.">
      {run.sessionsDone === 0
        ? 'No session was replayed: the sample is empty.'
        : `${plural(run.unchanged, 'decision')} of ${plural(run.sessionsDone, 'session')} stay the same.`}
    </EmptyState>
  )
}

function Groups({ run, view }: { readonly run: BacktestView; readonly view: ChangeView }) {
  if (run.groups.length === 0) return null
  return (
    <ul aria-label="Changes by rule" className="border-border border-b bg-surface py-1">
      {run.groups.map((group) => {
        const isOn = view.rule === group.rule && view.class === group.class
        return (
          <li key={`${group.class} ${group.rule}`}>
            <button
              type="button"
              aria-pressed={isOn}
              onClick={() => view.setGroup(isOn ? null : group)}
              className="flex min-h-7 w-full flex-wrap items-baseline gap-x-3 px-4 py-0.5 text-left hover:bg-row-hover aria-pressed:bg-row-selected pointer-coarse:min-h-11"
            >
              <code className="font-mono text-mono">{group.rule ?? 'no rule'}</code>
              <span className="text-text-2">{CLASS_WORDS[group.class]}</span>
              {group.rule !== null && (
                <span className="text-small text-text-3">{fidelityText(run, group.rule)}</span>
              )}
              <span className="ml-auto text-small text-text-2 tabular-nums">
                {plural(group.changes - group.late, 'change')} in{' '}
                {plural(group.sessions, 'session')}
                {group.late === 0 ? '' : ` · ${group.late} after divergence`}
              </span>
            </button>
          </li>
        )
      })}
    </ul>
  )
}

function Filters({ view }: { readonly view: ChangeView }) {
  const { rule, session } = view
  if (rule === null && session === null && view.class === null) return null
  return (
    <div className="flex flex-wrap gap-2 border-border border-b bg-surface-2 px-4 py-1">
      {(rule !== null || view.class !== null) && (
        <Button onClick={() => view.setGroup(null)}>
          Remove {rule ?? (view.class === null ? '' : CLASS_WORDS[view.class])}
        </Button>
      )}
      {session !== null && (
        <Button onClick={() => view.setSession(null)}>Remove {shortId(session)}</Button>
      )}
    </div>
  )
}

function Rows({
  changes,
  view,
}: {
  readonly changes: readonly ListedChange[]
  readonly view: ChangeView
}) {
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: changes.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
    initialRect: { width: 800, height: 480 },
  })
  const at = changes.findIndex((change) => toChangeKey(change) === view.change)
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at, { align: 'auto' })
  }, [at, virtual])
  return (
    <section
      ref={scroller}
      aria-label="Changed decisions"
      className="max-h-[60dvh] overflow-y-auto bg-surface"
    >
      <ul className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const change = changes[index]
          if (change === undefined) return null
          return (
            <li
              key={toChangeKey(change)}
              aria-setsize={changes.length}
              aria-posinset={index + 1}
              className="absolute inset-x-0"
              style={{ height: ROW_PX, transform: `translateY(${start}px)` }}
            >
              <ChangeRow
                change={change}
                isSelected={index === at}
                onSelect={() => view.select(toChangeKey(change))}
              />
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function ChangeRow({
  change,
  isSelected,
  onSelect,
}: {
  readonly change: ListedChange
  readonly isSelected: boolean
  readonly onSelect: () => void
}) {
  const { before, after, isLate, rule, tool, sessionId, seq } = change
  return (
    <button
      type="button"
      aria-pressed={isSelected}
      onClick={onSelect}
      className={clsx(
        'flex h-full w-full flex-col justify-center gap-0.5 border-border border-b px-4 text-left hover:bg-row-hover aria-pressed:bg-row-selected',
        isLate && 'bg-surface-2',
      )}
    >
      <span className="flex w-full min-w-0 items-center gap-3">
        <BeforeAfter before={before.verdict} after={after.verdict} />
        <code className="min-w-0 truncate font-mono text-mono">{tool ?? rule ?? ''}</code>
        <span className="ml-auto whitespace-nowrap font-mono text-mono text-text-2">
          {shortId(sessionId)} #{seq}
        </span>
      </span>
      <span className="flex w-full min-w-0 gap-3 text-small text-text-2">
        <span className="min-w-0 truncate">
          {after.sentence ?? before.sentence ?? 'no message'}
        </span>
        <span className="ml-auto whitespace-nowrap">{isLate ? 'after divergence' : 'exact'}</span>
      </span>
    </button>
  )
}

function Peek({
  change,
  onClose,
}: {
  readonly change: ListedChange
  readonly onClose: () => void
}) {
  const { before, after, rule, pointer, sessionId, seq, isLate } = change
  return (
    <aside
      aria-label="Change"
      className="shrink-0 border-border border-t bg-surface max-lg:order-first lg:w-96 lg:border-t-0 lg:border-l"
    >
      <header className="flex min-h-9 items-center justify-between gap-2 border-border border-b px-3">
        <h2 className="font-semibold text-h2">{CLASS_WORDS[change.class]}</h2>
        <IconButton label="Close the change" onClick={onClose}>
          <X size={14} aria-hidden />
        </IconButton>
      </header>
      <div className="flex flex-col gap-3 p-3">
        <Side title="Recorded" told={before} />
        <Side title="With this config" told={after} />
        {rule !== null && (
          <p className="text-text-2">
            Rule <code className="font-mono text-mono text-text">{rule}</code>
            {pointer === null ? '' : ` at ${pointer}`}
          </p>
        )}
        <p className="text-text-2">
          {isLate
            ? 'After divergence: an earlier change would have altered the agent’s path, so this is a guess and is not counted.'
            : 'Exact: the session is identical under both configs up to here.'}
        </p>
        <p>
          <LinkButton href={`/sessions/${sessionId}?e=${seq}`}>Open event #{seq}</LinkButton>
        </p>
        <p className="text-small text-text-2">
          Session{' '}
          <Link className="font-mono text-link text-mono" href={`/sessions/${sessionId}`}>
            {shortId(sessionId)}
          </Link>{' '}
          <span className="pointer-coarse:hidden">
            · <Kbd>j</Kbd> <Kbd>k</Kbd> next and previous
          </span>
        </p>
      </div>
    </aside>
  )
}

function Side({ title, told }: { readonly title: string; readonly told: ListedChange['before'] }) {
  return (
    <section>
      <h3 className="text-small text-text-2">{title}</h3>
      <VerdictText verdict={told.verdict} />
      {told.sentence !== null && <p className="break-words text-text-2">{told.sentence}</p>}
    </section>
  )
}
