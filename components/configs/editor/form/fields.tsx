'use client'
// Emptying an optional field removes it from the text.
import { isJsonObject } from '@signalbox/core'
import { X } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import {
  insertItem,
  type JsonPath,
  removeValue,
  setValue,
} from '@/components/kit/diff/json-edit.ts'
import { listAt, stringAt, toPointer, valueAt } from '@/components/kit/diff/json-values.ts'
import { Checkbox } from '@/components/ui/checkbox.tsx'
import { Field, Input, Textarea } from '@/components/ui/input.tsx'
import { Select } from '@/components/ui/select.tsx'
import type { SelectOption } from '@/components/ui/select-button.tsx'
import { useForm } from './form-context.tsx'

/** Id of the list of known tool names, for the `list` of an input. */
export const TOOL_NAMES = 'tools-of-draft'

export interface FieldProps {
  readonly path: JsonPath
  readonly label: string
  readonly hint?: ReactNode
}

export function TextField({
  path,
  label,
  hint,
  required,
  multiline,
  isTool,
  placeholder,
}: FieldProps & {
  /** Emptying the field leaves "" in the text instead of removing it. */
  readonly required?: boolean
  readonly multiline?: boolean
  /** Known tools are offered. */
  readonly isTool?: boolean
  readonly placeholder?: string
}) {
  const { value, edit } = useForm()
  const write = (next: string) =>
    edit(
      (text) =>
        next === '' && required !== true ? removeValue(text, path) : setValue(text, path, next),
      true,
    )
  const shared = {
    value: stringAt(value, path),
    placeholder,
    spellCheck: multiline === true,
    'data-pointer': toPointer(path),
  }
  return (
    <Field label={label} hint={hint}>
      {(control) =>
        multiline === true ? (
          <Textarea
            {...control}
            {...shared}
            className="field-sizing-content"
            onChange={(event) => write(event.target.value)}
          />
        ) : (
          <Input
            {...control}
            {...shared}
            list={isTool === true ? TOOL_NAMES : undefined}
            onChange={(event) => write(event.target.value)}
          />
        )
      }
    </Field>
  )
}

interface Typed {
  readonly text: string
  /** The value has reached the text. After that, a different value comes from another user or an undo. */
  readonly hasArrived: boolean
}

function useTyped(found: unknown) {
  const [typed, setTyped] = useState<Typed | null>(null)
  const wanted = typed === null || typed.text.trim() === '' ? undefined : Number(typed.text)
  const isThere = found === wanted
  if (typed !== null && isThere && !typed.hasArrived) setTyped({ ...typed, hasArrived: true })
  if (typed !== null && !isThere && typed.hasArrived) setTyped(null)
  const set = (text: string | null) => setTyped(text === null ? null : { text, hasArrived: false })
  return [typed?.text ?? null, set] as const
}

/** Only numbers reach the config text. */
export function NumberField({
  path,
  label,
  hint,
  placeholder,
}: FieldProps & { readonly placeholder?: string }) {
  const { value, edit } = useForm()
  const found = valueAt(value, path)
  const [typed, setTyped] = useTyped(found)
  const write = (next: string) => {
    setTyped(next)
    if (next.trim() === '') edit((text) => removeValue(text, path), true)
    const number = Number(next)
    if (next.trim() !== '' && Number.isFinite(number))
      edit((text) => setValue(text, path, number), true)
  }
  const isBad = typed !== null && !Number.isFinite(Number(typed))
  return (
    <Field label={label} hint={hint} error={isBad ? 'Enter a number.' : undefined}>
      {(control) => (
        <Input
          {...control}
          data-pointer={toPointer(path)}
          inputMode="decimal"
          placeholder={placeholder}
          value={typed ?? (found === undefined ? '' : String(found))}
          onChange={(event) => write(event.target.value)}
          onBlur={() => setTyped(null)}
          className="w-28"
        />
      )}
    </Field>
  )
}

/** An absent field means `absent`; choosing this value removes the field. */
export function ToggleField({
  path,
  label,
  absent,
}: Omit<FieldProps, 'hint'> & { readonly absent: boolean }) {
  const { value, edit } = useForm()
  const found = valueAt(value, path)
  return (
    <Checkbox
      data-pointer={toPointer(path)}
      checked={typeof found === 'boolean' ? found : absent}
      onChange={({ target: { checked } }) =>
        edit((text) =>
          checked === absent ? removeValue(text, path) : setValue(text, path, checked),
        )
      }
    >
      {label}
    </Checkbox>
  )
}

export function ChoiceField<Value extends string>({
  path,
  label,
  options,
  absent,
}: Omit<FieldProps, 'hint'> & {
  readonly options: readonly SelectOption<Value>[]
  readonly absent: Value
}) {
  const { value, edit } = useForm()
  const found = stringAt(value, path)
  const current = options.find((option) => option.value === found)?.value ?? absent
  return (
    <Select
      label={label}
      value={current}
      options={options}
      onChange={(next) =>
        edit((text) => (next === absent ? removeValue(text, path) : setValue(text, path, next)))
      }
    />
  )
}

export function ChipsField({
  path,
  label,
  hint,
  adding,
  keepEmpty,
}: FieldProps & {
  /** Absent: the names are tools. */
  readonly adding?: string
  /** The rule requires the list, so removing its last item leaves `[]`. */
  readonly keepEmpty?: boolean
}) {
  const { value, edit } = useForm()
  const [typed, setTyped] = useState('')
  const id = useId()
  const items = listAt(value, path).map((item) =>
    isJsonObject(item) ? JSON.stringify(item) : String(item),
  )
  const add = () => {
    const names = typed.split(',').map((name) => name.trim())
    for (const name of names) {
      if (name !== '' && !items.includes(name)) {
        edit((text) => insertItem(text, path, { index: Number.MAX_SAFE_INTEGER, value: name }))
      }
    }
    setTyped('')
  }
  const remove = (index: number) =>
    edit((text) =>
      items.length === 1 && keepEmpty !== true
        ? removeValue(text, path)
        : removeValue(text, [...path, index]),
    )
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter' || event.key === ',') {
      event.preventDefault()
      add()
    }
    if (event.key === 'Backspace' && typed === '' && items.length > 0) remove(items.length - 1)
  }
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium text-small text-text-2">
        {label}
      </label>
      <div className="flex min-h-7 flex-wrap items-center gap-1 rounded-control border border-border-strong bg-surface px-1 py-0.5">
        {items.map((item, index) => (
          <span
            // Names may repeat while typing, so a repeated name also has its position in the key.
            key={`${item}\0${items.indexOf(item) === index ? '' : index}`}
            className="inline-flex h-6 max-w-full items-center gap-0.5 rounded-badge border border-border bg-surface-2 pl-1.5"
          >
            <code className="truncate">{item}</code>
            <button
              type="button"
              aria-label={`Remove ${item} from ${label}`}
              onClick={() => remove(index)}
              className="inline-flex size-6 items-center justify-center rounded-badge text-text-3 hover:bg-surface-3 hover:text-text disabled:opacity-50"
            >
              <X size={12} aria-hidden />
            </button>
          </span>
        ))}
        <input
          id={id}
          data-pointer={toPointer(path)}
          value={typed}
          placeholder={`+ ${adding ?? 'add tool'}`}
          list={adding === undefined ? TOOL_NAMES : undefined}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={onKeyDown}
          onBlur={add}
          className="h-6 min-w-20 flex-1 bg-transparent px-1 font-mono text-mono outline-none"
        />
      </div>
      {hint !== undefined && <p className="text-small text-text-3">{hint}</p>}
    </div>
  )
}
