'use client'
import { shareText } from '@signalbox/core/analysis'
import { clsx } from 'clsx'
import { Link } from '@/components/ui/link.tsx'
import type { SeriesLook } from './series-look.ts'

/** CSS background of a swatch that looks like the bars. */
function paintSwatch({ fill, isHatched }: SeriesLook): string {
  return isHatched === true
    ? `repeating-linear-gradient(45deg, transparent 0 2px, var(--surface) 2px 4px), ${fill}`
    : fill
}

export interface LegendItem extends SeriesLook {
  readonly key: string
  readonly label: string
  readonly count: number
  readonly text: string
  /** Address of the list behind the series; absent: none. */
  readonly href?: string | undefined
}

export function LegendItems({
  items,
}: {
  readonly items: readonly (SeriesLook & { readonly label: string })[]
}) {
  return (
    <ul className="flex flex-wrap gap-x-3 px-3 text-small text-text-2">
      {items.map(({ label, ...look }) => (
        <li key={label} className="inline-flex items-center gap-1.5">
          <span
            aria-hidden
            className="size-2.5 rounded-[2px] border border-border-strong"
            style={{ background: paintSwatch(look) }}
          />
          {label}
        </li>
      ))}
    </ul>
  )
}

/** Rows in the order of the stack: a button that hides the series, and a link to what it counts. */
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
  const total = items.reduce((sum, { count }) => sum + count, 0)
  return (
    <table aria-label={label} className="w-full table-fixed border-collapse">
      <tbody>
        {items.map(({ key, label: name, count, text, href, ...look }) => {
          const isOn = !off.has(key)
          return (
            <tr key={key} className="border-border border-b last:border-b-0">
              <td className="h-10 w-10 pl-1">
                <button
                  type="button"
                  aria-pressed={isOn}
                  aria-label={name}
                  title={isOn ? `Hide ${name}` : `Show ${name}`}
                  onClick={() => onToggle(key)}
                  className="inline-flex size-8 items-center justify-center rounded-control hover:bg-row-hover pointer-coarse:size-10"
                >
                  <span
                    aria-hidden
                    className={clsx(
                      'size-3 rounded-[2px] border',
                      isOn ? 'border-transparent' : 'border-border-strong border-dashed',
                    )}
                    style={{ background: isOn ? paintSwatch(look) : 'transparent' }}
                  />
                </button>
              </td>
              <td
                title={name}
                className={clsx(
                  'break-words py-1 font-medium',
                  !isOn && 'text-text-3 line-through',
                )}
              >
                {href === undefined ? (
                  name
                ) : (
                  <Link href={href} className="hover:underline">
                    {name}
                  </Link>
                )}
              </td>
              <td className="w-16 pr-2 text-right font-medium tabular-nums">{text}</td>
              <td className="w-14 pr-3 text-right text-text-2 tabular-nums">
                {shareText(count, total)}
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
