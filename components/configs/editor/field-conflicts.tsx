'use client'
// Editing stays possible; nothing is saved or published until every field is decided.
import { X } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '@/components/ui/button.tsx'
import { StatusIcon } from '@/components/ui/status-badge.tsx'
import type { Choices, Conflict, Merge, Side } from './merge-texts.ts'
import type { MergedNews } from './merged-news.ts'

export function FieldConflicts({
  merge,
  who,
  onChosen,
}: {
  readonly merge: Merge
  /** The other user, "Ana Ruiz", or the version that went live, "v15". */
  readonly who: string
  readonly onChosen: (choices: Choices) => void
}) {
  const [choices, setChoices] = useState<Choices>(new Map())
  const { conflicts, taken } = merge
  const left = conflicts.filter(({ place }) => !choices.has(place)).length
  const rest = taken.length === 0 ? '' : ` To be merged: ${taken.join(', ')}.`
  return (
    <section
      aria-labelledby="conflict-title"
      className="flex max-h-[45%] shrink-0 flex-col gap-2 overflow-y-auto border-warning-bd border-b bg-surface px-4 py-2"
    >
      <div className="flex flex-wrap items-center gap-2">
        <StatusIcon status="warning" />
        <h2 id="conflict-title" className="font-semibold text-h2">
          {who} changed the same {conflicts.length === 1 ? 'field' : 'fields'} as you
        </h2>
        <p role="status" className="min-w-0 flex-1 text-text-2">
          Choose a value for each; nothing is saved until then. All other changes of both are kept.
          {rest}
        </p>
        <Button variant="primary" disabled={left > 0} onClick={() => onChosen(choices)}>
          {left > 0 ? `${left} to choose` : 'Save'}
        </Button>
      </div>
      <ul className="flex flex-col gap-3">
        {conflicts.map((conflict) => (
          <li key={conflict.place}>
            <Choice
              conflict={conflict}
              who={who}
              side={choices.get(conflict.place)}
              onSide={(side) => setChoices(new Map([...choices, [conflict.place, side]]))}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Choice({
  conflict,
  who,
  side,
  onSide,
}: {
  readonly conflict: Conflict
  readonly who: string
  readonly side: Side | undefined
  readonly onSide: (side: Side) => void
}) {
  const { place, base, mine, theirs } = conflict
  const option = (value: Side, label: string, shown: Conflict['mine']) => (
    <label className="flex min-w-0 flex-1 items-start gap-2 rounded-control border border-border p-2 has-checked:bg-row-selected">
      <input
        type="radio"
        name={place}
        checked={side === value}
        onChange={() => onSide(value)}
        className="mt-0.5"
      />
      <span className="min-w-0">
        {label}
        <Value value={shown} />
      </span>
    </label>
  )
  return (
    <fieldset className="flex min-w-0 flex-col gap-1">
      <legend className="font-medium">{place}</legend>
      <div className="text-small text-text-2">
        <span className="sr-only">Before: </span>
        <del>
          <Value value={base} />
        </del>
      </div>
      <div className="flex gap-2 max-sm:flex-col">
        {option('mine', 'Keep mine', mine)}
        {option('theirs', `Take ${who}’s`, theirs)}
      </div>
    </fieldset>
  )
}

function Value({ value }: { readonly value: Conflict['mine'] }) {
  return (
    <code className="block max-h-40 overflow-auto whitespace-pre-wrap break-words text-small">
      {value === undefined ? 'not set' : JSON.stringify(value, null, 2)}
    </code>
  )
}

/** The toast already announced it to screen readers. */
export function MergedNote({
  note,
  onShow,
  onClose,
}: {
  readonly note: MergedNews
  readonly onShow: (place: string) => void
  readonly onClose: () => void
}) {
  return (
    <div className="flex shrink-0 items-center gap-2 border-border border-b bg-surface-2 px-4 py-1 text-text-2">
      <p className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3">
        Merged from {note.who}:{' '}
        {note.places.map((place) => (
          <button
            key={place}
            type="button"
            className="min-h-6 text-left text-link"
            onClick={() => onShow(place)}
          >
            {place}
          </button>
        ))}
      </p>
      <IconButton label="Dismiss" onClick={onClose}>
        <X size={14} aria-hidden />
      </IconButton>
    </div>
  )
}
