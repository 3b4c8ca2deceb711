// The whole session in one line: a bar for every slice of time, coloured by the gravest verdict in it. A slider over the
// session's time; the list is its accessible equivalent.
'use client'

import { type KeyboardEvent, type PointerEvent, useMemo } from 'react'
import { type Bucket, bucketOf, density, type Mark } from './density.ts'
import type { EventRow } from './session-rows.ts'

const BUCKETS = 140
const HEIGHT = 20

const FILL = {
  plain: 'fill-neutral-bd',
  neutral: 'fill-neutral-mark',
  info: 'fill-info-mark',
  warning: 'fill-warning-mark',
  blocked: 'fill-blocked-mark',
  deny: 'fill-deny-mark',
} as const satisfies Record<Mark, string>

/** For those who distinguish without colour. */
const LETTERS: Partial<Record<Mark, string>> = { deny: 'D', blocked: 'B', warning: 'W' }

const MARKS = Object.keys(FILL).filter((mark): mark is Mark => mark in FILL)

function pathOf(buckets: readonly Bucket[], mark: Mark): string {
  const most = Math.max(1, ...buckets.map(({ events }) => events))
  return buckets
    .map((bucket, index) => {
      if (bucket.events === 0 || bucket.mark !== mark) return ''
      const height = 5 + (HEIGHT - 6) * Math.sqrt(bucket.events / most)
      return `M${index} ${HEIGHT}v${-height}h.82v${height}z`
    })
    .join('')
}

export interface DensityStripProps {
  readonly rows: readonly EventRow[]
  readonly selected: EventRow | null
  readonly onSeek: (seq: number) => void
}

export function DensityStrip({ rows, selected, onSeek }: DensityStripProps) {
  const { from, to, buckets } = useMemo(() => density(rows, BUCKETS), [rows])
  const at = selected?.at ?? rows.at(-1)?.at ?? from
  const here = bucketOf(at, { from, to, size: BUCKETS })
  const seek = (event: PointerEvent<HTMLDivElement>): void => {
    const box = event.currentTarget.getBoundingClientRect()
    const wanted = Math.floor(((event.clientX - box.left) / box.width) * BUCKETS)
    const seq = nearest(buckets, wanted)
    if (seq !== null) onSeek(seq)
  }
  const handleKey = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    const index = rows.findIndex((row) => row.key === selected?.key)
    const next = rows[(index === -1 ? rows.length - 1 : index) + step]
    if (step === 0 || next === undefined) return
    event.preventDefault()
    event.stopPropagation()
    onSeek(next.seq)
  }
  const last = rows.at(-1)?.seq ?? 0
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label="Position in session"
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={selected?.seq ?? last}
      aria-valuetext={`event ${selected?.seq ?? last} of ${last}`}
      className="density-strip cursor-crosshair border-border border-b bg-surface px-3 py-1.5"
      onPointerDown={seek}
      onKeyDown={handleKey}
    >
      <svg
        aria-hidden
        viewBox={`0 0 ${BUCKETS} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="pointer-events-none block h-6 w-full"
      >
        {MARKS.map((mark) => (
          <path key={mark} d={pathOf(buckets, mark)} className={FILL[mark]} />
        ))}
        <rect x={here} y={0} width={0.3} height={HEIGHT} className="fill-focus" />
      </svg>
      <div aria-hidden className="relative hidden h-3 letters:block">
        {buckets.map(({ mark, seq }, index) =>
          LETTERS[mark] === undefined || seq === null ? null : (
            <span
              key={seq}
              className="absolute -translate-x-1/4 font-mono text-micro text-text-2 leading-3"
              style={{ left: `${(index / BUCKETS) * 100}%` }}
            >
              {LETTERS[mark]}
            </span>
          ),
        )}
      </div>
    </div>
  )
}

/** The event at or nearest to a bucket; null when there are none at all. */
function nearest(buckets: readonly Bucket[], wanted: number): number | null {
  for (let away = 0; away < buckets.length; away += 1) {
    const seq = buckets[wanted - away]?.seq ?? buckets[wanted + away]?.seq
    if (seq !== null && seq !== undefined) return seq
  }
  return null
}
