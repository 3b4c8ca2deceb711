'use client'
// Radio buttons as cards: one tab stop, arrow keys.
import { clsx } from 'clsx'
import { type ReactNode, useId } from 'react'

export interface ChoiceCard<Value extends string> {
  readonly value: Value
  readonly name: string
  /** Read aloud after the name. Absent: the name says it all. */
  readonly description?: string
  readonly content: ReactNode
}

export function ChoiceCards<Value extends string>({
  label,
  name,
  value,
  cards,
  onChange,
  className,
}: {
  readonly label: string
  /** Of the group of radio buttons. */
  readonly name: string
  readonly value: Value
  readonly cards: readonly ChoiceCard<Value>[]
  readonly onChange: (value: Value) => void
  readonly className?: string
}) {
  const id = useId()
  return (
    <fieldset className={clsx('relative min-w-0', className)}>
      <legend className="sr-only">{label}</legend>
      {cards.map((card) => (
        <label
          key={card.value}
          className="relative flex cursor-pointer rounded-card border border-border bg-surface outline-offset-2 hover:bg-row-hover has-checked:border-text has-checked:shadow-[inset_0_0_0_1px_var(--text)] has-focus-visible:outline-2 has-focus-visible:outline-focus"
        >
          <input
            type="radio"
            name={name}
            className="absolute opacity-0"
            aria-label={card.name}
            aria-describedby={card.description === undefined ? undefined : `${id}${card.value}`}
            checked={card.value === value}
            onChange={() => onChange(card.value)}
          />
          {card.content}
          {card.description !== undefined && (
            <span id={`${id}${card.value}`} hidden>
              {card.description}
            </span>
          )}
        </label>
      ))}
    </fieldset>
  )
}
