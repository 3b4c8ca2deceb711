'use client'

import {
  Area,
  CartesianGrid,
  ComposedChart,
  Line,
  ReferenceLine,
  ResponsiveContainer,
  XAxis,
  YAxis,
} from 'recharts'
import { computeTicks } from '@/components/kit/chart/chart-words.ts'
import { meanText } from '@/components/releases/verdict-words.ts'
import { useZone } from '@/components/ui/time.tsx'
import type { GuardPoint } from '@/server/staged-rollouts/guard-history.ts'
import { joinLabels, type ShareMark } from './share-labels.ts'

const TICK = { fontSize: 11, fill: 'var(--text-2)' }
const HEIGHT = 280
/** Approximate height of the plot, px. */
const PLOT = 216
/** Distance at which two labels beside the plot do not overlap, px. */
const LABEL_GAP = 14
const MOST_TICKS = 6
const MINUTE = 60_000
const STEPS = [1, 5, 10, 30, 60, 180, 360, 720, 1_440].map((minutes) => minutes * MINUTE)

/** Part of the axis within which two labels above it overlap. */
const LEAST_GAP = 0.1

const RANGE_OPACITY = 0.35

/** An area of one point has no width. */
function SingleRange({
  point,
  most,
}: {
  readonly point: GuardPoint | undefined
  readonly most: number
}) {
  if (point === undefined || point.range === null) return null
  const [low, high] = point.range
  return (
    <ReferenceLine
      segment={[
        { x: point.at, y: Math.min(most, low) },
        { x: point.at, y: Math.min(most, high) },
      ]}
      stroke="var(--series-2)"
      strokeWidth={8}
      strokeOpacity={RANGE_OPACITY}
    />
  )
}

interface EndLabel {
  readonly at: number
  readonly text: string
  readonly fill: string
}

/** Moves labels apart, within the plot. */
function spreadLabels(
  labels: readonly EndLabel[],
  most: number,
): readonly (EndLabel & { readonly dy: number })[] {
  const sorted = [...labels].sort((a, b) => b.at - a.at)
  const wanted = sorted.map(({ at }) => (1 - at / most) * PLOT)
  const places: number[] = []
  for (const place of wanted) {
    places.push(Math.max(place, (places.at(-1) ?? Number.NEGATIVE_INFINITY) + LABEL_GAP))
  }
  let lowest = PLOT
  for (let index = places.length - 1; index >= 0; index--) {
    places[index] = Math.min(places[index] ?? 0, lowest)
    lowest = (places[index] ?? 0) - LABEL_GAP
  }
  return sorted.map((label, index) => ({
    ...label,
    dy: (places[index] ?? 0) - (wanted[index] ?? 0),
  }))
}

export function GuardChart({
  points,
  version,
  baseVersion,
  limit,
  ratio,
  shares,
  from,
}: {
  readonly points: readonly GuardPoint[]
  readonly version: number
  readonly baseVersion: number
  /** Null: unknown. */
  readonly limit: number | null
  readonly ratio: number
  readonly shares: readonly ShareMark[]
  readonly from: number
}) {
  const zone = useZone()
  const until = points.at(-1)?.at ?? from
  const wanted = (until - from) / MOST_TICKS
  const step =
    STEPS.find((one) => one >= wanted) ?? Math.ceil(wanted / (1_440 * MINUTE)) * 1_440 * MINUTE
  const first = Math.ceil(from / step) * step
  const starts = Array.from(
    { length: Math.max(0, Math.floor((until - first) / step) + 1) },
    (_, index) => first + index * step,
  )
  const ticks = computeTicks(starts, step, zone)
  const last = points.at(-1)
  const highest = Math.max(
    limit ?? 0,
    ...points.flatMap(({ base, candidate }) => [base ?? 0, candidate ?? 0]),
  )
  const most = Math.max(1, Math.ceil(highest * 1.25))
  const labels = spreadLabels(
    [
      ...(limit === null
        ? []
        : [{ at: limit, text: `${meanText(limit)} limit (${ratio}×)`, fill: 'var(--deny-fg)' }]),
      ...(last?.candidate === null || last === undefined
        ? []
        : [
            {
              at: last.candidate,
              text: `${meanText(last.candidate)} v${version}`,
              fill: 'var(--text)',
            },
          ]),
      ...(last?.base === null || last === undefined
        ? []
        : [{ at: last.base, text: `${meanText(last.base)} v${baseVersion}`, fill: 'var(--text)' }]),
    ],
    most,
  )
  return (
    <ResponsiveContainer width="100%" height={HEIGHT}>
      <ComposedChart
        data={points.map(({ at, base, candidate, range }) => ({
          at,
          base,
          candidate,
          range: range === null ? null : [Math.min(most, range[0]), Math.min(most, range[1])],
        }))}
        accessibilityLayer={false}
        margin={{ top: 24, right: 96, bottom: 0, left: 0 }}
      >
        <CartesianGrid vertical={false} stroke="var(--border)" />
        <XAxis
          dataKey="at"
          type="number"
          domain={[from, Math.max(until, from + 1)]}
          ticks={ticks.map(({ at }) => at)}
          tickFormatter={(at: number) => ticks.find((tick) => tick.at === at)?.text ?? ''}
          tick={TICK}
          stroke="var(--border)"
        />
        <YAxis
          width={34}
          domain={[0, most]}
          allowDecimals={false}
          tickCount={Math.min(most, 5) + 1}
          tick={TICK}
          stroke="var(--border)"
        />
        {points.length > 1 ? (
          <Area
            dataKey="range"
            stroke="none"
            fill="var(--series-2)"
            fillOpacity={RANGE_OPACITY}
            isAnimationActive={false}
          />
        ) : (
          <SingleRange point={last} most={most} />
        )}
        <Line
          dataKey="base"
          stroke="var(--series-1)"
          strokeWidth={2}
          dot={points.length === 1}
          isAnimationActive={false}
        />
        <Line
          dataKey="candidate"
          stroke="var(--series-2)"
          strokeWidth={2}
          dot={points.length === 1}
          isAnimationActive={false}
        />
        {limit !== null && (
          <ReferenceLine y={limit} stroke="var(--deny-mark)" strokeDasharray="5 4" />
        )}
        {labels.map(({ at, text, fill, dy }) => (
          <ReferenceLine
            key={text}
            y={at}
            stroke="none"
            label={{ value: text, position: 'right', fontSize: 11, fontWeight: 500, fill, dy }}
          />
        ))}
        {shares.map(({ at }) => (
          <ReferenceLine
            key={at}
            x={Math.max(from, at)}
            stroke="var(--neutral-mark)"
            strokeDasharray="2 2"
          />
        ))}
        {joinLabels(shares, (until - from) * LEAST_GAP).map(({ at, label }) => (
          <ReferenceLine
            key={`label ${at}`}
            x={Math.max(from, at)}
            stroke="none"
            // Beside its line, clear of the axis's own highest label.
            label={{ ...TICK, value: label, position: 'top', dx: 3.3 * label.length + 3 }}
          />
        ))}
      </ComposedChart>
    </ResponsiveContainer>
  )
}
