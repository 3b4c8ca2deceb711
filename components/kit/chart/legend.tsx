'use client'
import { clsx } from 'clsx'
import type { SeriesLook } from './series-look.ts'

export interface LegendItem extends SeriesLook {
  readonly key: string
  readonly label: string
  readonly text: string
}

export function LegendItems({
  items,
}: {
  readonly items: readonly (SeriesLook & { readonly label: string })[]
}) {
  return (
    <ul className="flex flex-wrap gap-x-3 px-3 text-small text-text-2">
      {items.map(({ label, fill }) => (
        <li key={label} className="inline-flex items-center gap-1.5">
          <span
            aria-hidden
            className="size-2.5 rounded-[2px] border border-border-strong"
            style={{ background: fill }}
          />
          {label}
        </li>
      ))}
    </ul>
  )
}

export function Legend({
  label,
  items,
  off,
  onToggle,
}: {
  readonly label: string
  readonly items: readonly LegendItem[]
  readonly off: ReadonlySet<string>
  readonly onToggle: (key: string) => void
}) {
  return (
    <fieldset className="flex min-w-0 flex-wrap gap-1">
      <legend className="sr-only">{label}</legend>
      {items.map(({ key, label: name, text, fill, isHatched }) => {
        const isOn = !off.has(key)
        return (
          <button
            key={key}
            type="button"
            aria-pressed={isOn}
            onClick={() => onToggle(key)}
            className={clsx(
              'inline-flex h-(--control) min-w-0 max-w-full items-center gap-1.5 rounded-control border border-border bg-surface px-2 text-small hover:bg-row-hover pointer-coarse:h-11',
              !isOn && 'border-dashed text-text-3 line-through',
            )}
          >
            <span
              aria-hidden
              className={clsx(
                'size-2.5 shrink-0 rounded-[2px] border border-border-strong',
                isHatched === true && 'border-dashed',
              )}
              style={{ background: isOn ? fill : 'transparent' }}
            />
            <span className="truncate">{name}</span>
            <span className="text-text-2 tabular-nums">{text}</span>
          </button>
        )
      })}
    </fieldset>
  )
}
