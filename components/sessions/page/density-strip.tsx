// The list is the accessible equivalent of the strip. Idle time collapses only on request.
'use client'

import { ChevronsRightLeft, ZoomOut } from 'lucide-react'
import { type KeyboardEvent, memo, useDeferredValue, useId, useMemo, useRef } from 'react'
import { Button } from '@/components/ui/button.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { durationText, Timestamp } from '@/components/ui/time.tsx'
import { useElementWidth } from '@/components/ui/use-width.ts'
import { type Bucket, density, findBucket, MARKS, type Mark, nearestSeq } from './density.ts'
import type { EventRow } from './rows/session-rows.ts'
import { idleStretches, type Span, shownSpan, stripAxis, wholeSpan } from './strip-axis.ts'
import {
  flagPath,
  markPath,
  markTop,
  STRIP_HEIGHT,
  stripLetters,
  stripPaths,
} from './strip-shapes.ts'
import { useBrush } from './use-brush.ts'

const BUCKET_PX = 4

const MARK_LOOK = {
  plain: '',
  info: 'fill-info-mark',
  caution: 'fill-caution-mark',
  bypassed: 'fill-surface stroke-neutral-mark',
  warning: 'fill-warning-mark',
  blocked: 'fill-blocked-mark',
  denied: 'fill-deny-mark',
  error: 'stroke-deny-mark',
} as const satisfies Record<Mark, string>

export interface DensityStripProps {
  readonly rows: readonly EventRow[]
  readonly selected: EventRow | null
  readonly hasNotes: (seqs: readonly number[]) => boolean
  readonly zoom: Span | null
  readonly isIdleCollapsed: boolean
  readonly onSeek: (seq: number) => void
  /** Called on pointer down over an event. The event is selected on pointer up, unless the pointer was dragged. */
  readonly onAim: (seq: number) => void
  /** Null: the whole session. */
  readonly onZoom: (zoom: Span | null) => void
  readonly onIdle: () => void
}

export function DensityStrip(props: DensityStripProps) {
  const { selected, hasNotes, zoom, isIdleCollapsed, onSeek, onAim, onZoom } = props
  // Drawing costs grow with the length of the session, so the list draws a new event first.
  const rows = useDeferredValue(props.rows)
  const box = useRef<HTMLDivElement>(null)
  const width = useElementWidth(box, 1000)
  const size = Math.max(20, Math.floor(width / BUCKET_PX))
  const times = useMemo(() => rows.map(({ at }) => at), [rows])
  const span = useMemo(() => shownSpan(wholeSpan(times), zoom), [times, zoom])
  const idle = useMemo(() => idleStretches(times, span), [times, span])
  const axis = useMemo(
    () => stripAxis(span, isIdleCollapsed ? idle : []),
    [span, idle, isIdleCollapsed],
  )
  const buckets = useMemo(() => density(rows, axis, size), [rows, axis, size])
  const flags = useMemo(
    () => drawFlags(rows, { hasNotes, span, computeX: (at) => axis.computeShare(at) * width }),
    [rows, hasNotes, span, axis, width],
  )
  const at = (share: number, act: (seq: number) => void): void => {
    const seq = nearestSeq(buckets, Math.min(size - 1, Math.floor(share * size)))
    if (seq !== null) act(seq)
  }
  const { brush, ...pointer } = useBrush({
    onPress: (share) => at(share, onAim),
    onPick: (share) => at(share, onSeek),
    onBrush: ({ from, to }) =>
      onZoom({ from: Math.floor(axis.instantAt(from)), to: Math.ceil(axis.instantAt(to)) }),
  })
  const handleKey = (event: KeyboardEvent): void => {
    const next = findTargetEvent(event.key, {
      rows,
      selected,
      buckets,
      axisPlace: (row) => findBucket(axis, row.at, size),
    })
    if (next === null) return
    event.preventDefault()
    event.stopPropagation()
    onSeek(next)
  }
  const last = rows.at(-1)?.seq ?? 0
  const here = axis.computeShare(selected?.at ?? span.to)
  const isShown = selected === null || (selected.at >= span.from && selected.at <= span.to)
  return (
    <div className="border-border border-b bg-surface px-3 py-1 max-sm:px-0">
      <div
        ref={box}
        role="slider"
        tabIndex={0}
        aria-label="Position in session"
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={selected?.seq ?? last}
        aria-valuetext={`event ${selected?.seq ?? last} of ${last}`}
        className="density-strip relative cursor-crosshair overflow-hidden touch-pan-y select-none"
        onKeyDown={handleKey}
        {...pointer}
      >
        <StripDrawing buckets={buckets} width={width} flags={flags} />
        {isIdleCollapsed
          ? idle.map(({ from, to }) => (
              <span
                key={from}
                aria-hidden
                className="pointer-events-none absolute bottom-0 h-2 border-border-strong border-x border-dotted"
                style={{
                  left: `${axis.computeShare(from) * 100}%`,
                  width: `${(axis.computeShare(to) - axis.computeShare(from)) * 100}%`,
                }}
              />
            ))
          : null}
        {isShown ? (
          <span
            aria-hidden
            className="pointer-events-none absolute inset-y-0 w-0.5 bg-focus"
            style={{ left: `calc(${here * 100}% - 1px)` }}
          />
        ) : null}
        {brush === null ? null : (
          <span
            aria-hidden
            className="pointer-events-none absolute inset-y-0 border-focus border-x bg-row-selected opacity-60"
            style={{ left: `${brush.from * 100}%`, width: `${(brush.to - brush.from) * 100}%` }}
          />
        )}
      </div>
      <StripFoot {...props} span={span} idle={idle} buckets={buckets} />
    </div>
  )
}

interface Place {
  readonly rows: readonly EventRow[]
  readonly selected: EventRow | null
  readonly buckets: readonly Bucket[]
  readonly axisPlace: (row: EventRow) => number
}

/** Null: the key is no slider key, or no such event exists. */
function findTargetEvent(
  key: string,
  { rows, selected, buckets, axisPlace }: Place,
): number | null {
  if (key === 'Home') return rows[0]?.seq ?? null
  if (key === 'End') return rows.at(-1)?.seq ?? null
  const index =
    selected === null ? rows.length - 1 : rows.findIndex((row) => row.key === selected.key)
  const row = rows[index]
  if (row === undefined) return null
  if (key === 'ArrowRight' || key === 'ArrowUp') return rows[index + 1]?.seq ?? null
  if (key === 'ArrowLeft' || key === 'ArrowDown') return rows[index - 1]?.seq ?? null
  const tenth = Math.ceil(buckets.length / 10)
  if (key === 'PageUp')
    return nearestSeq(buckets, Math.min(buckets.length - 1, axisPlace(row) + tenth))
  if (key === 'PageDown') return nearestSeq(buckets, Math.max(0, axisPlace(row) - tenth))
  return null
}

interface Flagged {
  readonly hasNotes: DensityStripProps['hasNotes']
  readonly span: Span
  readonly computeX: (at: number) => number
}

/** Flags have their own shape and the color of text, because they are no verdicts. */
function drawFlags(rows: readonly EventRow[], { hasNotes, span, computeX }: Flagged): string {
  const shown = rows.filter(
    ({ at, members }) => at >= span.from && at <= span.to && hasNotes(members),
  )
  return shown.map(({ at }) => flagPath(computeX(at))).join('')
}

const StripDrawing = memo(function StripDrawing({
  buckets,
  width,
  flags,
}: {
  readonly buckets: readonly Bucket[]
  readonly width: number
  readonly flags: string
}) {
  const hatch = useId()
  const paths = useMemo(() => stripPaths(buckets, width), [buckets, width])
  const letters = useMemo(() => stripLetters(buckets, width), [buckets, width])
  return (
    <>
      <svg
        aria-hidden
        width={width}
        height={STRIP_HEIGHT}
        className="pointer-events-none block max-w-full"
      >
        <pattern id={hatch} width={4} height={4} patternUnits="userSpaceOnUse">
          <path d="M0 0l4 4M4 0l-4 4" className="stroke-deny-mark" strokeWidth={1} />
        </pattern>
        <path d={paths.bars} className="fill-neutral-bd" />
        {MARKS.map((mark) =>
          paths.marks[mark] === '' ? null : (
            <path
              key={mark}
              d={paths.marks[mark]}
              className={MARK_LOOK[mark]}
              {...(mark === 'error' ? { fill: `url(#${hatch})` } : {})}
            />
          ),
        )}
        {flags === '' ? null : <path d={flags} data-annotations className="fill-text" />}
      </svg>
      <div aria-hidden className="pointer-events-none relative hidden h-3 letters:block">
        {letters.map(({ left, letter }) => (
          <span
            key={left}
            className="absolute font-mono text-micro text-text-2 leading-3"
            style={{ left }}
          >
            {letter}
          </span>
        ))}
      </div>
    </>
  )
})

function StripLegend({ buckets }: { readonly buckets: readonly Bucket[] }) {
  const shown = new Set(buckets.map(({ mark }) => mark))
  return (
    <ul aria-label="Marks" className="flex flex-wrap gap-x-3">
      {MARKS.filter((mark) => mark !== 'plain' && shown.has(mark)).map((mark) => (
        <li key={mark} className="inline-flex items-center gap-1">
          <svg aria-hidden width={10} height={10} viewBox={`0 ${markTop(mark)} 10 10`}>
            <path
              d={markPath(mark)}
              className={MARK_LOOK[mark]}
              {...(mark === 'error' ? { fill: 'var(--surface)' } : {})}
            />
          </svg>
          {mark}
        </li>
      ))}
    </ul>
  )
}

function StripFoot({
  zoom,
  span,
  idle,
  buckets,
  isIdleCollapsed,
  onZoom,
  onIdle,
}: DensityStripProps & {
  readonly span: Span
  readonly idle: readonly Span[]
  readonly buckets: readonly Bucket[]
}) {
  // In whole seconds, both ends of a short session would read the same.
  const style = span.to - span.from < 10_000 ? 'full' : 'second'
  const idleMs = idle.reduce((sum, { from, to }) => sum + to - from, 0)
  return (
    <div className="flex min-h-6 flex-wrap items-center gap-x-4 text-small text-text-2 max-sm:px-3">
      <Timestamp at={span.from} style={style} />
      <StripLegend buckets={buckets} />
      {zoom === null ? null : (
        <Button onClick={() => onZoom(null)}>
          <ZoomOut aria-hidden size={14} />
          Whole session <Kbd>Z</Kbd>
        </Button>
      )}
      {idle.length === 0 ? null : (
        <button
          type="button"
          aria-pressed={isIdleCollapsed}
          onClick={onIdle}
          className="inline-flex min-h-6 items-center gap-1 text-link pointer-coarse:min-h-11"
        >
          <ChevronsRightLeft aria-hidden size={14} />
          {durationText(idleMs)} idle{isIdleCollapsed ? ' collapsed, show' : ', collapse'}
        </button>
      )}
      <span className="ml-auto">
        <Timestamp at={span.to} style={style} />
      </span>
    </div>
  )
}
