'use client'
import { RefusedInput, withFieldGroup } from '@/components/kit/form/form.tsx'
import type { Refusal, RefusalReason } from '@/server/releases/release-outcome.ts'

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

/** Blank text becomes null. */
export function toReleaseWords({ note, typedName }: ReleaseWords) {
  return {
    note: note.trim() === '' ? null : note,
    typedName: typedName === '' ? null : typedName,
  }
}

const FIELDS: { readonly [reason in RefusalReason]?: keyof ReleaseWords } = {
  note_required: 'note',
  name_required: 'typedName',
}

export function toRefusedInput({ reason, message }: Refusal): RefusedInput {
  return new RefusedInput(message, FIELDS[reason])
}

const DEMANDS: Demands = { name: '', requiresNote: false, requiresTypedName: false }

export const ReleaseWordFields = withFieldGroup({
  defaultValues: NO_WORDS,
  props: { demands: DEMANDS },
  render: function ReleaseWordFields({ group, demands }) {
    const { name, requiresNote, requiresTypedName } = demands
    return (
      <div className="flex flex-col gap-3">
        <group.AppField name="note">
          {(field) => (
            <field.TextareaField
              label={requiresNote ? 'Note (required)' : 'Note'}
              rows={2}
              maxLength={2_000}
              placeholder="What changes, and why"
            />
          )}
        </group.AppField>
        {requiresTypedName && (
          <group.AppField name="typedName">
            {(field) => (
              <field.TextField
                label={`Type ${name} to confirm`}
                data-typed=""
                autoComplete="off"
                spellCheck={false}
              />
            )}
          </group.AppField>
        )}
      </div>
    )
  },
})

export const WORD_FIELDS = { note: 'note', typedName: 'typedName' } as const
