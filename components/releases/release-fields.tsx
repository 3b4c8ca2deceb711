'use client'
// What an environment demands before a release: a note, and its name typed exactly.
import { Field, Input, Textarea } from '@/components/ui/input.tsx'

export interface Demands {
  readonly name: string
  readonly requiresNote: boolean
  readonly requiresTypedName: boolean
}

export interface ReleaseWords {
  readonly note: string
  readonly typedName: string
}

export const NO_WORDS: ReleaseWords = { note: '', typedName: '' }

/** As the server is asked: blank words are none. */
export function saidOf({ note, typedName }: ReleaseWords) {
  return {
    note: note.trim() === '' ? null : note,
    typedName: typedName === '' ? null : typedName,
  }
}

export function isSaid(demands: Demands, words: ReleaseWords): boolean {
  const { name, requiresNote, requiresTypedName } = demands
  return (
    (!requiresNote || words.note.trim() !== '') && (!requiresTypedName || words.typedName === name)
  )
}

export function ReleaseFields({
  demands,
  words,
  onChange,
}: {
  readonly demands: Demands
  readonly words: ReleaseWords
  readonly onChange: (words: ReleaseWords) => void
}) {
  const { name, requiresNote, requiresTypedName } = demands
  return (
    <div className="flex flex-col gap-3">
      <Field label={requiresNote ? 'Note (required)' : 'Note'}>
        {(control) => (
          <Textarea
            {...control}
            rows={2}
            maxLength={2_000}
            value={words.note}
            placeholder="What changes, and why"
            onChange={({ target }) => onChange({ ...words, note: target.value })}
          />
        )}
      </Field>
      {requiresTypedName && (
        <Field label={`Type ${name} to confirm`}>
          {(control) => (
            <Input
              {...control}
              data-typed=""
              value={words.typedName}
              autoComplete="off"
              spellCheck={false}
              onChange={({ target }) => onChange({ ...words, typedName: target.value })}
            />
          )}
        </Field>
      )}
    </div>
  )
}
