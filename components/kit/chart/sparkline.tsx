// The figure beside it has the exact numbers.

const WIDTH = 96
const HEIGHT = 24

export function Sparkline({
  values,
  limit,
  label,
}: {
  readonly values: readonly number[]
  /** Drawn as a dashed line; null: there is none. */
  readonly limit: number | null
  readonly label: string
}) {
  const most = Math.max(1, ...values, limit ?? 0)
  const step = WIDTH / Math.max(1, values.length)
  const path = values
    .map((value, i) => {
      const height = value === 0 ? 1 : Math.max(2, (value / most) * HEIGHT)
      return `M${(i * step).toFixed(2)} ${HEIGHT}v-${height.toFixed(2)}h${(step - 1).toFixed(2)}v${height.toFixed(2)}z`
    })
    .join('')
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      className="h-6 w-24 text-neutral-mark"
    >
      <path d={path} fill="currentColor" />
      {limit !== null && (
        <path
          d={`M0 ${(HEIGHT * (1 - limit / most)).toFixed(2)}h${WIDTH}`}
          className="stroke-deny-mark"
          strokeDasharray="3 2"
          vectorEffect="non-scaling-stroke"
        />
      )}
    </svg>
  )
}
