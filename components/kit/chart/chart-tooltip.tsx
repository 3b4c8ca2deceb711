'use client'

interface TooltipLine {
  readonly label: string
  readonly value: number
  readonly text: string
  readonly fill: string
}

export function TooltipBox({
  title,
  lines,
  foot,
}: {
  readonly title: string
  readonly lines: readonly TooltipLine[]
  /** Text below the values; absent or empty: none. */
  readonly foot?: string
}) {
  const sorted = [...lines].sort((a, b) => b.value - a.value)
  return (
    <div className="max-w-72 rounded-card border border-border bg-surface px-2.5 py-1.5 text-small shadow-lg">
      <p className="font-medium">{title}</p>
      <ul>
        {sorted.map(({ label, text, fill }) => (
          <li key={label} className="flex items-center gap-1.5">
            <span
              aria-hidden
              className="size-2.5 shrink-0 rounded-[2px] border border-border-strong"
              style={{ background: fill }}
            />
            <span className="min-w-0 flex-1 truncate text-text-2">{label}</span>
            <span className="tabular-nums">{text}</span>
          </li>
        ))}
      </ul>
      {foot !== undefined && foot !== '' && <p className="text-text-2">{foot}</p>}
    </div>
  )
}
