'use client'

import { countText } from '@signalbox/core/analysis'
import { clsx } from 'clsx'
import { CircleCheck, CircleDashed, CircleDot } from 'lucide-react'
import { memo, useState } from 'react'
import { Words } from '@/components/ui/words.tsx'
import { type MarkedLine, markedLines, type StateSection } from './state-lines.ts'

interface SectionProps {
  readonly shown: StateSection
  readonly other: StateSection
  /** `after`: the other state is earlier. */
  readonly side: 'after' | 'before'
}

/** Memoized: renders again only for another position; while a state loads, the previous one stays. */
export const StateSectionView = memo(function StateSectionView({
  shown,
  other,
  side,
}: SectionProps) {
  const lines = markedLines(shown, other)
  const changed = lines.filter(({ mark }) => mark !== null)
  return (
    <section className="flex flex-col gap-1" data-section={shown.title}>
      <h3 className="font-semibold text-h2">
        {shown.title}{' '}
        {shown.aside === null ? null : (
          <span className="font-normal text-text-2">{shown.aside}</span>
        )}
      </h3>
      {lines.length === 0 ? <p className="text-text-2">{shown.nothing}</p> : null}
      {shown.isLong === true ? (
        <LongList lines={lines} changed={changed} side={side} />
      ) : (
        <Lines lines={lines} side={side} />
      )}
    </section>
  )
})

/** The rest expands on demand, so that thousands of paths cost nothing until then. */
function LongList({
  lines,
  changed,
  side,
}: {
  readonly lines: readonly MarkedLine[]
  readonly changed: readonly MarkedLine[]
  readonly side: SectionProps['side']
}) {
  const [isOpen, setOpen] = useState(false)
  const same = lines.filter(({ mark }) => mark === null)
  return (
    <>
      <Lines lines={changed} side={side} />
      {same.length === 0 ? null : (
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary className="min-h-6 cursor-pointer text-text-2">
            {changed.length === 0 ? showAllText(same.length) : `${countText(same.length)} more`}
          </summary>
          {isOpen ? (
            <div>
              <Lines lines={same.slice(0, MOST_SHOWN)} side={side} />
              {same.length > MOST_SHOWN ? (
                <p className="text-small text-text-2">
                  Showing {MOST_SHOWN} of {countText(same.length)}.
                </p>
              ) : null}
            </div>
          ) : null}
        </details>
      )}
    </>
  )
}

function showAllText(count: number): string {
  return count === 1 ? 'Show it' : `Show all ${countText(count)}`
}

const MOST_SHOWN = 500

function Lines({
  lines,
  side,
}: {
  readonly lines: readonly MarkedLine[]
  readonly side: SectionProps['side']
}) {
  if (lines.length === 0) return null
  return (
    <ul className="flex flex-col">
      {lines.map((one) => (
        <LineItem key={one.key} line={one} side={side} />
      ))}
    </ul>
  )
}

type Sign = NonNullable<MarkedLine['mark']>

const SEEN_AFTER = { '+': ['+', 'added'], '−': ['−', 'removed'], was: ['was', 'changed'] } as const

/** Seen from before, items only in the later state appear, and items only here disappear. */
const SEEN_BEFORE = { '+': ['−', 'goes'], '−': ['+', 'comes'], was: ['then', 'changes'] } as const

function LineItem({
  line,
  side,
}: {
  readonly line: MarkedLine
  readonly side: 'after' | 'before'
}) {
  const { mark } = line
  const seen = mark === null ? null : (side === 'after' ? SEEN_AFTER : SEEN_BEFORE)[mark]
  return (
    <li
      data-mark={seen?.[0]}
      className={clsx(
        'grid grid-cols-[14px_minmax(0,1fr)_auto] items-baseline gap-x-2 rounded-badge px-1 py-0.5',
        seen !== null && 'bg-row-selected',
        mark === '−' && 'text-text-2 line-through',
      )}
    >
      <LineSign mark={mark} sign={seen?.[0] ?? ''} standing={line.standing} />
      <span className="min-w-0 break-words">
        {seen === null ? null : <span className="sr-only">{seen[1]}: </span>}
        <Words text={line.text} />
      </span>
      <span className="max-w-48 break-words text-right text-small text-text-2">
        <Words text={line.value} />
        {line.was === null ? null : (
          <span className="block">
            {seen?.[0]} <Words text={line.was} />
          </span>
        )}
      </span>
    </li>
  )
}

const STANDING_ICON = { done: CircleCheck, started: CircleDot, open: CircleDashed } as const

function LineSign({
  mark,
  sign,
  standing,
}: {
  readonly mark: Sign | null
  readonly sign: string
  readonly standing: MarkedLine['standing']
}) {
  if (mark === '+' || mark === '−') {
    return (
      <span aria-hidden className="font-mono text-mono">
        {sign}
      </span>
    )
  }
  if (standing === undefined) return <span />
  const Icon = STANDING_ICON[standing]
  const hue = standing === 'done' ? 'text-allow-mark' : 'text-neutral-mark'
  return <Icon aria-hidden size={14} className={clsx('translate-y-0.5', hue)} />
}
