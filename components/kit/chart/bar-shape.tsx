'use client'
import type { BarShapeProps } from 'recharts'
import type { SeriesLook } from './series-look.ts'

const HATCHES: readonly { readonly n: number; readonly d: string }[] = [
  { n: 1, d: 'M0 6L6 0' },
  { n: 2, d: 'M0 0L6 6' },
  { n: 3, d: 'M0 3H6' },
  { n: 4, d: 'M3 0V6' },
  { n: 5, d: 'M2 3H4' },
  { n: 6, d: 'M0 6L6 0M0 0L6 6' },
]

/** Patterns of one chart; `id` keeps them apart from those of other charts on the page. */
export function HatchDefs({ id }: { readonly id: string }) {
  return (
    <defs>
      {HATCHES.map(({ n, d }) => (
        <pattern key={n} id={`${id}-${n}`} width="6" height="6" patternUnits="userSpaceOnUse">
          <path d={d} stroke="var(--surface)" strokeWidth="1.5" style={{ fill: 'none' }} />
        </pattern>
      ))}
      <pattern id={`${id}-gone`} width="8" height="8" patternUnits="userSpaceOnUse">
        <path d="M0 8L8 0" stroke="var(--border-strong)" strokeWidth="1" style={{ fill: 'none' }} />
      </pattern>
    </defs>
  )
}

/** `find`: the look of the bar at this index. */
export function barShape(id: string, find: (index: number) => SeriesLook) {
  return function Shape({ x, y, width, height, payload, index }: BarShapeProps) {
    const { fill, hatch, isHatched } = find(index)
    const w = Math.max(0, Number(width))
    const h = Math.max(0, Number(height))
    if (w === 0 || h === 0) return <g />
    const place = { x: Number(x), y: Number(y), width: w, height: h }
    const isFilling: unknown = Reflect.get(Object(payload), 'isFilling')
    return (
      <g>
        <rect
          {...place}
          fill={fill}
          fillOpacity={isFilling === true ? 0.6 : 1}
          stroke="var(--surface)"
          strokeWidth={w < 3 ? 0 : 1}
        />
        {hatch > 0 && (
          <rect
            {...place}
            fill={`url(#${id}-${hatch})`}
            className={isHatched === true ? undefined : 'hidden letters:block'}
          />
        )}
      </g>
    )
  }
}
