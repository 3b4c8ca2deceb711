'use client'
// The fields of a form: label, hint, control and error, tied together for screen readers. Each shows what its schema or the server
// refuses about it.
import { useStore } from '@tanstack/react-form'
import type { ComponentProps, ReactNode } from 'react'
import { Checkbox } from '@/components/ui/checkbox.tsx'
import { Field, Input, Textarea } from '@/components/ui/input.tsx'
import { Select } from '@/components/ui/select.tsx'
import type { SelectOption } from '@/components/ui/select-button.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { useFieldContext } from './form-context.ts'

interface Labels {
  readonly label: string
  readonly hint?: ReactNode
}

type Own = 'value' | 'onChange' | 'id' | 'name'

/** Errors are sentences of the server or issues of a schema. */
function toSentence(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : String(error)
}

/** The field around a control; `error` is undefined while nothing is refused. */
export function useField<Value>() {
  const field = useFieldContext<Value>()
  const [error] = useStore(field.store, (state) => state.meta.errors)
  return {
    value: field.state.value,
    change: (value: Value) => field.handleChange(value),
    error: error === undefined ? undefined : toSentence(error),
  }
}

export function TextField({ label, hint, ...input }: Labels & Omit<ComponentProps<'input'>, Own>) {
  const { value, change, error } = useField<string>()
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <Input
          {...input}
          {...control}
          value={value}
          onChange={({ currentTarget }) => change(currentTarget.value)}
        />
      )}
    </Field>
  )
}

export function TextareaField({
  label,
  hint,
  ...input
}: Labels & Omit<ComponentProps<'textarea'>, Own>) {
  const { value, change, error } = useField<string>()
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <Textarea
          {...input}
          {...control}
          value={value}
          onChange={({ currentTarget }) => change(currentTarget.value)}
        />
      )}
    </Field>
  )
}

export function SelectField<Value extends string>({
  label,
  hint,
  options,
  unset,
  disabled,
}: Labels & {
  readonly options: readonly SelectOption<Value>[]
  /** Shown while the field is null. */
  readonly unset?: Value
  readonly disabled?: boolean
}) {
  const { value, change, error } = useField<Value | null>()
  const shown = value ?? unset
  if (shown === undefined) return null
  return (
    <Field label={label} hint={hint} error={error}>
      {({ id }) => (
        <Select
          id={id}
          label={label}
          value={shown}
          options={options}
          disabled={disabled}
          onChange={change}
        />
      )}
    </Field>
  )
}

export function CheckboxField({
  children,
  disabled,
}: {
  readonly children: ReactNode
  readonly disabled?: boolean
}) {
  const { value, change, error } = useField<boolean>()
  return (
    <>
      <Checkbox
        checked={value}
        disabled={disabled}
        onChange={({ currentTarget }) => change(currentTarget.checked)}
      >
        {children}
      </Checkbox>
      <ErrorLine className="text-small">{error}</ErrorLine>
    </>
  )
}

/** Any number of choices. */
export function ChoicesField<Value extends string>({
  label,
  options,
  whenNone,
}: {
  readonly label: string
  readonly options: readonly { readonly value: Value; readonly label: ReactNode }[]
  /** Error while nothing is chosen. */
  readonly whenNone: string
}) {
  const { value: chosen, change, error } = useField<readonly Value[]>()
  return (
    <fieldset>
      <legend className="font-medium text-small text-text-2">{label}</legend>
      {options.map(({ value, label: words }) => (
        <Checkbox
          key={value}
          checked={chosen.includes(value)}
          onChange={({ currentTarget }) =>
            change(
              currentTarget.checked
                ? [...chosen, value]
                : chosen.filter((other) => other !== value),
            )
          }
        >
          {words}
        </Checkbox>
      ))}
      <ErrorLine className="text-small">{chosen.length === 0 ? whenNone : error}</ErrorLine>
    </fieldset>
  )
}
