/** Epoch ms, `from` < `to`. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Idle time is collapsed if it lasts at least this long and takes at least this share of the visible range. */
const IDLE_MS = 5 * 60_000
const IDLE_SHARE = 0.005
/** Share of the width that a collapsed stretch takes; together they take at most `MOST_COLLAPSED`. */
const COLLAPSED_SHARE = 0.012
const MOST_COLLAPSED = 0.2

/** Time from the first to the last event, at least one millisecond. */
export function wholeSpan(times: readonly number[]): Span {
  const from = times[0] ?? 0
  return { from, to: Math.max(times.at(-1) ?? 0, from + 1) }
}

/** The zoomed part, limited to the session; the whole session if they do not overlap. */
export function shownSpan(whole: Span, zoom: Span | null): Span {
  if (zoom === null || zoom.to <= whole.from || zoom.from >= whole.to) return whole
  return { from: Math.max(whole.from, zoom.from), to: Math.min(whole.to, zoom.to) }
}

/** `times`: ascending. */
export function idleStretches(times: readonly number[], span: Span): readonly Span[] {
  const least = Math.max(IDLE_MS, (span.to - span.from) * IDLE_SHARE)
  const stretches: Span[] = []
  let before = span.from
  for (const at of times) {
    if (at <= span.from) continue
    const end = Math.min(at, span.to)
    if (end - before >= least) stretches.push({ from: before, to: end })
    before = end
    if (at >= span.to) break
  }
  return stretches
}

export interface Axis {
  readonly span: Span
  /** From 0 to 1; instants outside map to the nearest end. */
  readonly computeShare: (at: number) => number
  readonly instantAt: (share: number) => number
}

interface Knot {
  readonly at: number
  readonly share: number
}

function findRightKnot(knots: readonly Knot[], axis: 'at' | 'share', wanted: number): number {
  let [low, high] = [0, knots.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((knots[middle]?.[axis] ?? 0) >= wanted) high = middle
    else low = middle + 1
  }
  return low
}

function interpolate(knots: readonly Knot[], axis: 'at' | 'share', wanted: number): number {
  const other = axis === 'at' ? 'share' : 'at'
  const place = findRightKnot(knots, axis, wanted)
  const right = knots[place]
  const left = knots[Math.max(0, place - 1)]
  if (left === undefined || right === undefined) return 0
  const length = right[axis] - left[axis]
  if (length === 0) return right[other]
  return left[other] + ((wanted - left[axis]) / length) * (right[other] - left[other])
}

function evenAxis(span: Span): Axis {
  const { from, to } = span
  const length = Math.max(1, to - from)
  return {
    span,
    computeShare: (instant) => (Math.min(to, Math.max(from, instant)) - from) / length,
    instantAt: (wanted) => from + Math.min(1, Math.max(0, wanted)) * length,
  }
}

/** `collapsed`: stretches to shrink, ascending, without overlap. */
export function stripAxis(span: Span, collapsed: readonly Span[]): Axis {
  // The common case, computed for every row after every event.
  if (collapsed.length === 0) return evenAxis(span)
  const idle = collapsed.reduce((sum, { from, to }) => sum + to - from, 0)
  const width = Math.min(COLLAPSED_SHARE, MOST_COLLAPSED / Math.max(1, collapsed.length))
  const active = Math.max(1, span.to - span.from - idle)
  const perMs = (1 - width * collapsed.length) / active
  const knots: Knot[] = [{ at: span.from, share: 0 }]
  let [at, share] = [span.from, 0]
  for (const { from, to } of collapsed) {
    share += (from - at) * perMs
    knots.push({ at: from, share })
    share += width
    knots.push({ at: to, share })
    at = to
  }
  knots.push({ at: span.to, share: 1 })
  return {
    span,
    computeShare: (instant) =>
      interpolate(knots, 'at', Math.min(span.to, Math.max(span.from, instant))),
    instantAt: (wanted) => interpolate(knots, 'share', Math.min(1, Math.max(0, wanted))),
  }
}

/** Range that `z` zooms to: half a minute around an instant, or a fortieth of the session if that is longer. */
export function spanAround(at: number, whole: Span): Span {
  const half = Math.max(15_000, (whole.to - whole.from) / 80)
  return { from: Math.round(at - half), to: Math.round(at + half) }
}
