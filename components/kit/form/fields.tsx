'use client'
import { useStore } from '@tanstack/react-form'
import type { ComponentProps, ReactNode } from 'react'
import { Checkbox } from '@/components/ui/checkbox.tsx'
import { Field, Input, Textarea } from '@/components/ui/input.tsx'
import { Select } from '@/components/ui/select.tsx'
import type { SelectOption } from '@/components/ui/select-button.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { toControlId, useFieldContext } from './form-context.ts'

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

/** `error`: undefined if nothing is refused. */
export function useField<Value>() {
  const field = useFieldContext<Value>()
  const [error] = useStore(field.store, (state) => state.meta.errors)
  return {
    id: toControlId(field.form.formId, field.name),
    value: field.state.value,
    change: (value: Value) => field.handleChange(value),
    leave: field.handleBlur,
    error: error === undefined ? undefined : toSentence(error),
  }
}

export function TextField({ label, hint, ...input }: Labels & Omit<ComponentProps<'input'>, Own>) {
  const { id, value, change, leave, error } = useField<string>()
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      {(control) => (
        <Input
          {...input}
          {...control}
          value={value}
          onChange={({ currentTarget }) => change(currentTarget.value)}
          onBlur={leave}
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
  const { id, value, change, leave, error } = useField<string>()
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      {(control) => (
        <Textarea
          {...input}
          {...control}
          value={value}
          onChange={({ currentTarget }) => change(currentTarget.value)}
          onBlur={leave}
        />
      )}
    </Field>
  )
}

export function SelectField<Value extends string>({
  label,
  hint,
  name = label,
  options,
  unset,
  disabled,
  className,
}: Labels & {
  /** Accessible name. Absent: the label. */
  readonly name?: string
  readonly options: readonly SelectOption<Value>[]
  /** Value shown while the field is null. */
  readonly unset?: Value
  readonly disabled?: boolean
  readonly className?: string
}) {
  const { id, value, change, error } = useField<Value | null>()
  const shown = value ?? unset
  if (shown === undefined) return null
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      {() => (
        <Select
          id={id}
          className={className}
          label={name}
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
  const { id, value, change, error } = useField<boolean>()
  return (
    <>
      <Checkbox
        id={id}
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

export function ChoicesField<Value extends string>({
  label,
  options,
  whenNone,
}: {
  readonly label: string
  readonly options: readonly { readonly value: Value; readonly label: ReactNode }[]
  /** Error if nothing is selected. */
  readonly whenNone: string
}) {
  const { id, value: chosen, change, error } = useField<readonly Value[]>()
  return (
    <fieldset>
      <legend className="font-medium text-small text-text-2">{label}</legend>
      {options.map(({ value, label: words }, at) => (
        <Checkbox
          key={value}
          id={at === 0 ? id : undefined}
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
