'use client'

import { countText, plural } from '@signalbox/core/analysis'
import { useVirtualizer } from '@tanstack/react-virtual'
import { parseAsInteger, useQueryStates } from 'nuqs'
import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import { createPortal } from 'react-dom'
import { viaText } from '@/components/explanations/stop-headline.ts'
import { usePageKeys } from '@/components/shell/page-keys.ts'
import { Button } from '@/components/ui/button.tsx'
import { shortId } from '@/components/ui/copy.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { Link } from '@/components/ui/link.tsx'
import { EmptyState, ErrorState } from '@/components/ui/states.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { durationText, Timestamp } from '@/components/ui/time.tsx'
import { useMedia } from '@/components/ui/use-width.ts'
import type { SessionHead } from '@/server/sessions/session-head.sql.ts'
import { stopsText } from '../../session-cells.tsx'
import { eventLook, MARK_CLASS, WORD_CLASS } from '../rows/event-look.ts'
import type { EventRow } from '../rows/session-rows.ts'
import { eventPath } from '../session-links.ts'
import { type Comparison, comparison, type StepPair } from './compare-steps.ts'
import { useComparedRows } from './use-compared.ts'

interface Sessions {
  readonly a: SessionHead
  readonly b: SessionHead
}

interface Props extends Sessions {
  /** Element of the page's header for the sentence about both; null: not rendered yet. */
  readonly place: HTMLElement | null
}

export function ComparedSteps({ a, b, place }: Props) {
  const one = useComparedRows(a)
  const other = useComparedRows(b)
  const compared = useMemo(() => comparison(one.rows, other.rows), [one.rows, other.rows])
  const isLoaded = one.index.isLoaded && other.index.isLoaded
  const failed = one.index.error === null ? other.index : one.index
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
      {place === null ? null : createPortal(describeComparison(compared, isLoaded), place)}
      <Facts a={a} b={b} />
      {failed.error === null ? null : (
        <ErrorState
          what="Not every event could be loaded."
          why={failed.error}
          onRetry={failed.retry}
        />
      )}
      <Steps a={a} b={b} compared={compared} isLoaded={isLoaded} />
    </div>
  )
}

function versionText({ configVersion, configDigest }: SessionHead): string {
  if (configVersion !== null) return `v${configVersion}`
  return configDigest === null ? 'unknown' : `${configDigest.slice(7, 13)}, version not recorded`
}

const FACTS: readonly {
  readonly name: string
  readonly of: (head: SessionHead) => ReactNode
}[] = [
  { name: 'Prompt', of: ({ ns, key }) => `${ns}/${key}` },
  { name: 'Config', of: versionText },
  { name: 'Started', of: ({ startedAt }) => <Timestamp at={startedAt} style="second" /> },
  {
    name: 'Lasted',
    of: ({ startedAt, endedAt, lastEventAt, status }) =>
      `${durationText((endedAt ?? lastEventAt) - startedAt)}${endedAt === null ? `, ${status}` : ''}`,
  },
  { name: 'Events', of: ({ maxSeq }) => countText(maxSeq) },
  { name: 'Calls', of: ({ calls, denied }) => `${countText(calls)}, ${countText(denied)} denied` },
  {
    name: 'Stops',
    of: stopsText,
  },
  { name: 'Feedback', of: ({ feedback }) => countText(feedback) },
  { name: 'Tokens', of: ({ tokensUsed }) => countText(tokensUsed) },
  {
    name: 'Plan',
    of: ({ planDone, planTotal }) => (planTotal === null ? '–' : `${planDone ?? 0}/${planTotal}`),
  },
]

function Facts({ a, b }: Sessions) {
  return (
    <Table className="shrink-0 bg-surface">
      <thead>
        <tr>
          <HeadCell>
            <span className="sr-only">Session</span>
          </HeadCell>
          {FACTS.map(({ name }) => (
            <HeadCell key={name}>{name}</HeadCell>
          ))}
        </tr>
      </thead>
      <tbody>
        {[a, b].map((head, index) => (
          <Row key={head.id}>
            <Cell className="font-medium">
              {index === 0 ? 'A' : 'B'}{' '}
              <Link href={`/sessions/${head.id}`} className="font-mono text-link text-mono">
                {shortId(head.id)}
              </Link>
            </Cell>
            {FACTS.map(({ name, of }) => (
              <Cell key={name} className="tabular-nums">
                {of(head)}
              </Cell>
            ))}
          </Row>
        ))}
      </tbody>
    </Table>
  )
}

const describeComparedRow = (row: EventRow): string => `${eventLook(row).word} (#${row.seq})`

function describeComparison({ pairs, first, different }: Comparison, isLoaded: boolean): string {
  if (!isLoaded) return 'The events are still loading.'
  if (pairs.length === 0) return 'Neither session has decisions.'
  if (first === null)
    return pairs.length === 1
      ? 'The only step is the same, with the same decision.'
      : `All ${countText(pairs.length)} steps are the same, with the same decisions.`
  const differ = different.length === 1 ? 'differs' : 'differ'
  return `${countText(different.length)} of ${plural(pairs.length, 'step')} ${differ}; step ${countText(first.index + 1)} is the first difference.`
}

/** Stored rows name the origin of a stop by its code. */
function describeRequest({ type, asked }: EventRow): string {
  const via = asked.replaceAll(' ', '_')
  const words = viaText(via)
  return type !== 'stop.decided' || words === via ? asked : words
}

function describeSides(kind: StepPair['kind'], a: EventRow | null, b: EventRow | null): string {
  if (a === null) return b === null ? 'missing' : `only B has ${describeStep(b)}`
  if (b === null) return `only A has ${describeStep(a)}`
  return kind === 'verdict'
    ? `${describeStep(a)} was ${describeComparedRow(a)} in A and ${describeComparedRow(b)} in B`
    : `A did ${describeStep(a)}, B did ${describeStep(b)}`
}

function describeDifference({ index, kind, a, b }: StepPair): string {
  const parts = describeSides(kind, a, b)
  return `Step ${countText(index + 1)}: ${parts}.`
}

const describeStep = (row: EventRow): string =>
  `“${`${row.subject} ${describeRequest(row)}`.trim()}”`

function Steps({
  a,
  b,
  compared,
  isLoaded,
}: Sessions & { readonly compared: Comparison; readonly isLoaded: boolean }) {
  const [{ s, only }, set] = useQueryStates({
    s: parseAsInteger,
    only: parseAsInteger.withDefault(0),
  })
  const height = useMedia('(max-width: 639px)') ? 64 : 32
  const shown = only === 1 ? compared.different : compared.pairs
  const at = s === null ? -1 : shown.findIndex(({ index }) => index >= s - 1)
  const go = (pair: StepPair | undefined): void => {
    if (pair !== undefined) void set({ s: pair.index + 1 })
  }
  const next = (direction: 1 | -1): void => {
    const here = (s ?? 0) - 1
    const { different } = compared
    go(
      direction === 1
        ? different.find(({ index }) => index > here)
        : different.findLast(({ index }) => index < here),
    )
  }
  const toggle = (): void => void set({ only: only === 1 ? null : 1 })
  usePageKeys('compare', [
    { keys: 'j', shown: 'j', does: 'next step', run: () => go(shown[at + 1]) },
    { keys: 'k', shown: 'k', does: 'previous step', run: () => go(shown[at - 1]) },
    { keys: 'n', shown: 'n', does: 'next difference', run: () => next(1) },
    { keys: 'Shift+N', shown: '⇧N', does: 'previous difference', run: () => next(-1) },
    { keys: 'o', shown: 'o', does: 'only differences', run: toggle },
  ])
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 border-border border-y bg-surface-2 px-4 py-2">
        <p className="min-w-0 flex-1 basis-80 font-medium">
          {isLoaded && compared.first !== null && describeDifference(compared.first)}
        </p>
        <Button onClick={() => go(compared.first ?? undefined)} disabled={compared.first === null}>
          First difference
        </Button>
        <Button onClick={() => next(1)} disabled={compared.first === null}>
          Next <Kbd>n</Kbd>
        </Button>
        <Button aria-pressed={only === 1} onClick={toggle}>
          Only differences <Kbd>o</Kbd>
        </Button>
      </div>
      {shown.length === 0 && isLoaded ? (
        <EmptyState title={only === 1 ? 'No differences.' : 'No steps to compare.'} />
      ) : (
        // The key places the rows again when a turned phone changes their height.
        <PairList
          key={height}
          a={a}
          b={b}
          pairs={shown}
          height={height}
          chosen={at}
          onChoose={go}
        />
      )}
    </>
  )
}

function PairList({
  a,
  b,
  pairs,
  height,
  chosen,
  onChoose,
}: Sessions & {
  readonly pairs: readonly StepPair[]
  /** Pixels of a row. */
  readonly height: number
  /** Index in `pairs`; -1: none. */
  readonly chosen: number
  readonly onChoose: (pair: StepPair) => void
}) {
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: pairs.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 12,
    initialRect: { width: 800, height: 600 },
  })
  useEffect(() => {
    if (chosen !== -1) virtual.scrollToIndex(chosen, { align: 'auto' })
  }, [chosen, virtual])
  return (
    <>
      <p
        aria-hidden
        className={`h-8 shrink-0 items-center border-border border-b bg-surface px-3 font-medium text-small text-text-2 max-sm:hidden ${COLUMNS}`}
      >
        <span>Step</span>
        <span />
        <span>A</span>
        <span>B</span>
      </p>
      <div ref={scroller} className="min-h-64 flex-1 overflow-y-auto overflow-x-hidden bg-surface">
        <ol
          aria-label="Steps of A and B"
          className="relative"
          style={{ height: virtual.getTotalSize() }}
        >
          {virtual.getVirtualItems().map(({ index, start }) => {
            const pair = pairs[index]
            if (pair === undefined) return null
            return (
              <li
                key={pair.index}
                aria-current={index === chosen}
                data-pair={pair.kind}
                className={`absolute inset-x-0 items-center border-border border-b px-3 hover:bg-row-hover aria-[current=true]:bg-row-selected max-sm:grid-cols-[3rem_minmax(0,1fr)] max-sm:grid-rows-2 ${COLUMNS}`}
                style={{ height, transform: `translateY(${start}px)` }}
              >
                <button
                  type="button"
                  aria-label={`Step ${pair.index + 1}`}
                  onClick={() => onChoose(pair)}
                  className="min-h-6 text-left font-mono text-mono text-text-3 tabular-nums"
                >
                  {pair.index + 1}
                </button>
                <span
                  className={
                    pair.kind === 'same' ? 'text-text-3 max-sm:hidden' : 'font-medium max-sm:hidden'
                  }
                >
                  {KIND_WORD[pair.kind]}
                </span>
                <Side row={pair.a} sessionId={a.id} name="A" />
                <Side row={pair.b} sessionId={b.id} name="B" />
              </li>
            )
          })}
        </ol>
      </div>
    </>
  )
}

/** The gap is wide enough that the link at the end of A does not read as part of B. */
const COLUMNS = 'grid grid-cols-[3.5rem_5.5rem_minmax(0,1fr)_minmax(0,1fr)] gap-x-2 sm:gap-x-6'

const KIND_WORD = { same: 'same', verdict: '≠ verdict', step: '≠ step' } as const

function Side({
  row,
  sessionId,
  name,
}: {
  readonly row: EventRow | null
  readonly sessionId: string
  readonly name: 'A' | 'B'
}) {
  const place = name === 'B' ? 'max-sm:col-start-2' : ''
  if (row === null) {
    return (
      <span className={`text-text-3 ${place}`}>
        <span className="sm:sr-only">{name} </span>–
      </span>
    )
  }
  const { icon: Icon, word, tone } = eventLook(row)
  return (
    <span className={`flex min-w-0 items-center gap-1.5 ${place}`}>
      <span className="sm:sr-only">{name}</span>
      <Icon aria-hidden className={`size-3.5 shrink-0 ${MARK_CLASS[tone]}`} />
      <span className={`shrink-0 ${WORD_CLASS[tone]}`}>{word}</span>
      <span className="shrink-0 font-mono text-mono">{row.subject}</span>
      <span className="min-w-0 flex-1 truncate text-text-2">{describeRequest(row)}</span>
      <Link
        href={eventPath(sessionId, row.seq)}
        aria-label={`Event ${row.seq} of ${name}`}
        className="font-mono text-link text-mono"
      >
        #{row.seq}
      </Link>
    </span>
  )
}
