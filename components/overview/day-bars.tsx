'use client'
// One bar an hour. The figure above it has the exact numbers, and the table in its popover each hour.
import { shareText } from '@signalbox/core/analysis'
import { clsx } from 'clsx'
import { clockText, useZone } from '@/components/ui/time.tsx'
import type { FigureSet } from './figure-set.ts'

type Figure = FigureSet['callsDenied']
type Hour = Figure['series'][number]
type Mark = FigureSet['releases'][number]

const HOUR = 3_600_000
const [STEP, BAR, BASE, HEIGHT] = [9.5, 7, 36, 42]

/** Null: nothing happened in this hour that the share could be of. */
function barValue({ value, of }: Hour, isShare: boolean): number | null {
  if (!isShare) return value
  return of === 0 ? null : value / of
}

function hourText(hour: Hour, isShare: boolean): string {
  return isShare
    ? `${shareText(hour.value, hour.of)} (${hour.value} of ${hour.of})`
    : `${hour.value}`
}

const hourName = ({ hour }: Hour, zone: string): string => clockText(hour, zone).slice(0, 5)

/** Place of an instant on the time axis, from 0 to 1. */
function placeOf(at: number, series: readonly Hour[]): number {
  const first = series[0]?.hour ?? 0
  return Math.min(1, Math.max(0, (at - first) / (series.length * HOUR)))
}

/** The numbers of the bars, newest hour first. */
export function HourTable({
  name,
  figure: { series, of },
}: {
  readonly name: string
  readonly figure: Figure
}) {
  const zone = useZone()
  return (
    <table aria-label={`${name} by hour`} className="mt-2 w-full text-left tabular-nums">
      <thead>
        <tr>
          <th scope="col" className="font-medium">
            Hour
          </th>
          <th scope="col" className="text-right font-medium">
            {of === null ? 'Count' : 'Share'}
          </th>
        </tr>
      </thead>
      <tbody>
        {series.toReversed().map((hour) => (
          <tr key={hour.hour} className="border-border border-t">
            <td>{hourName(hour, zone)}</td>
            <td className="text-right text-text">{hourText(hour, of !== null)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

export function DayBars({
  label,
  figure: { series, of, since },
  releases,
}: {
  /** Sentence that says what the bars show. */
  readonly label: string
  readonly figure: Figure
  readonly releases: readonly Mark[]
}) {
  const zone = useZone()
  const isShare = of !== null
  const values = series.map((hour) => barValue(hour, isShare))
  // At least 4%, or a single denied call would fill the height.
  const most = Math.max(isShare ? 0.04 : 1, ...values.map((value) => value ?? 0))
  const width = series.length * STEP
  const changedAt = since === null ? null : placeOf(since.at, series)
  return (
    <div className="relative">
      <svg
        role="img"
        aria-label={label}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="block h-[50px] w-full"
      >
        {series.map((hour, i) => {
          const value = values[i] ?? null
          if (value === null) return null
          const height = value === 0 ? 1 : Math.max(2, (value / most) * (BASE - 4))
          const isAfter = since !== null && hour.hour + HOUR > since.at
          return (
            <rect
              key={hour.hour}
              x={i * STEP + (STEP - BAR) / 2}
              y={BASE - height}
              width={BAR}
              height={height}
              rx={1}
              className={clsx(
                isAfter ? 'fill-text-2' : 'fill-neutral-bd',
                i === series.length - 1 && 'opacity-50',
              )}
            >
              <title>{`${hourName(hour, zone)}: ${hourText(hour, isShare)}`}</title>
            </rect>
          )
        })}
        <line x1={0} x2={width} y1={BASE + 0.5} y2={BASE + 0.5} className="stroke-border" />
        {releases.map(({ id, at }) => (
          <line
            key={id}
            x1={placeOf(at, series) * width}
            x2={placeOf(at, series) * width}
            y1={BASE + 1}
            y2={BASE + 5}
            className="stroke-text-3"
          />
        ))}
        {changedAt === null ? null : (
          <line
            x1={changedAt * width}
            x2={changedAt * width}
            y1={0}
            y2={BASE}
            strokeDasharray="2 2"
            className="stroke-text-2"
          />
        )}
      </svg>
      <p
        aria-hidden
        className="relative flex justify-between text-[11px] text-text-3 leading-[14px]"
      >
        <span className={clsx('whitespace-nowrap', isNamedAt(changedAt, 0) && 'invisible')}>
          24 h ago
        </span>
        {since !== null && changedAt !== null && (
          <b
            className={clsx(
              'absolute max-w-3/5 truncate border-text-2 border-dashed bg-surface font-medium text-text-2',
              changedAt > 0.5 ? 'border-r pr-1' : 'border-l pl-1',
            )}
            // One of its edges continues the line of the release.
            style={
              changedAt > 0.5
                ? { right: `${(1 - changedAt) * 100}%` }
                : { left: `${changedAt * 100}%` }
            }
            title={`Release of ${since.ns}/${since.key} v${since.version}`}
          >
            {since.ns}/{since.key} v{since.version}
          </b>
        )}
        <span className={clsx(isNamedAt(changedAt, 1) && 'invisible')}>now</span>
      </p>
    </div>
  )
}

/** True: the name of the release, which ends or begins at its line, is in the place of the time at this end of the axis. */
function isNamedAt(changedAt: number | null, end: 0 | 1): boolean {
  return changedAt !== null && Math.abs(changedAt - end) < 0.25
}
