'use client'
// A text area that completes the names of a CEL condition.
import type { ExpressionPlace } from '@signalbox/core/lint'
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from 'react'
import { type JsonPath, removeValue, setValue } from '@/components/kit/diff/json-edit.ts'
import { listAt, objectAt, stringAt, toPointer } from '@/components/kit/diff/json-values.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Field, Textarea } from '@/components/ui/input.tsx'
import { type ExpressionOption, optionsAt } from '../document/expression-completion.ts'
import type { FieldProps } from './fields.tsx'
import { useForm } from './form-context.tsx'

export function ExpressionField({
  path,
  label,
  hint,
  place,
  placeholder,
  required,
}: FieldProps & {
  readonly place: ExpressionPlace
  readonly placeholder?: string
  /** Emptying the field leaves "" in the text instead of removing it. */
  readonly required?: boolean
}) {
  const { value, edit, tools } = useForm()
  const text = stringAt(value, path)
  /** Null: the list is closed. */
  const [cursor, setCursor] = useState<number | null>(null)
  const [active, setActive] = useState(0)
  const area = useRef<HTMLTextAreaElement>(null)
  const nextCursor = useRef<number | null>(null)
  const list = useId()
  const args = useArguments(path, place === 'call' && cursor !== null)
  const found = cursor === null ? null : optionsAt(text.slice(0, cursor), place, { tools, args })
  const options = found === null ? [] : matching(text.slice(0, cursor ?? 0), found)
  const chosen = options[Math.min(active, options.length - 1)]

  useLayoutEffect(() => {
    if (nextCursor.current === null) return
    area.current?.setSelectionRange(nextCursor.current, nextCursor.current)
    nextCursor.current = null
  })

  const write = (next: string) =>
    edit(
      (document) =>
        next === '' && required !== true
          ? removeValue(document, path)
          : setValue(document, path, next),
      true,
    )
  const open = (at: number | null) => {
    setCursor(at)
    setActive(0)
  }
  const take = ({ insert, back }: ExpressionOption) => {
    const at = cursor ?? text.length
    const start = at - (found?.typed ?? 0)
    nextCursor.current = start + insert.length - back
    write(text.slice(0, start) + insert + text.slice(at))
    setCursor(null)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { key, ctrlKey, metaKey } = event
    if (key === ' ' && (ctrlKey || metaKey)) {
      event.preventDefault()
      return open(event.currentTarget.selectionStart)
    }
    if (chosen === undefined) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[key]
    const isAnswer = step !== undefined || key === 'Enter' || key === 'Tab' || key === 'Escape'
    if (!isAnswer || ctrlKey || metaKey) return setCursor(null)
    event.preventDefault()
    event.stopPropagation()
    if (step !== undefined) setActive((active + step + options.length) % options.length)
    else if (key === 'Escape') setCursor(null)
    else take(chosen)
  }
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <div className="relative">
          <Textarea
            {...control}
            ref={area}
            value={text}
            placeholder={placeholder}
            spellCheck={false}
            data-pointer={toPointer(path)}
            aria-autocomplete="list"
            {...(chosen === undefined
              ? {}
              : { 'aria-controls': list, 'aria-activedescendant': `${list}-${chosen.label}` })}
            onChange={({ target }) => {
              write(target.value)
              const before = target.value.slice(0, target.selectionStart)
              open(/[\w.]$/.test(before) ? target.selectionStart : null)
            }}
            onKeyDown={onKeyDown}
            // The caret may leave the name by a click, a key or a finger.
            onSelect={({ currentTarget }) => {
              if (currentTarget.selectionStart !== cursor) setCursor(null)
            }}
            onBlur={() => setCursor(null)}
            className="field-sizing-content font-mono text-mono"
          />
          {chosen !== undefined && (
            <div
              id={list}
              role="listbox"
              aria-label={`Names for ${label}`}
              tabIndex={-1}
              // Keeps the focus in the text area, also while the list is scrolled.
              onMouseDown={(event) => event.preventDefault()}
              className="absolute top-full right-0 left-0 z-10 mt-0.5 max-h-60 overflow-y-auto rounded-card border border-border bg-surface py-1 shadow-lg"
            >
              {options.map((option) => (
                <button
                  key={option.label}
                  ref={option === chosen ? scrollTo : null}
                  id={`${list}-${option.label}`}
                  type="button"
                  role="option"
                  aria-selected={option === chosen}
                  tabIndex={-1}
                  onClick={() => take(option)}
                  className={clsx(
                    'flex min-h-6 w-full cursor-pointer items-baseline gap-3 px-2 py-0.5 text-left',
                    option === chosen && 'bg-row-selected',
                  )}
                >
                  <code>{option.label}</code>
                  <span className="min-w-0 flex-1 truncate text-right text-small text-text-2">
                    {option.about}
                  </span>
                </button>
              ))}
            </div>
          )}
        </div>
      )}
    </Field>
  )
}

function scrollTo(option: HTMLElement | null): void {
  option?.scrollIntoView({ block: 'nearest' })
}

/** A single option that is already typed in full offers nothing. */
function matching(
  before: string,
  { typed, options }: { readonly typed: number; readonly options: readonly ExpressionOption[] },
): readonly ExpressionOption[] {
  const start = before.slice(before.length - typed).toLowerCase()
  const fitting = options.filter(({ label }) => label.toLowerCase().startsWith(start))
  return fitting.length === 1 && fitting[0]?.label.toLowerCase() === start ? [] : fitting
}

/** Arguments of recorded calls of the rule's tools. */
function useArguments(path: JsonPath, isWanted: boolean): readonly string[] {
  const { value } = useForm()
  const trpc = useTRPC()
  const prompt = { ns: stringAt(value, ['ns']), key: stringAt(value, ['key']) }
  const { data = {} } = useQuery({
    ...trpc.backtests.argumentNames.queryOptions(prompt),
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const tools = listAt(value, [...path.slice(0, -1), 'tools'])
  const aliases = objectAt(value, ['aliases'])
  const wanted = Object.entries(data).filter(
    ([tool]) => tools.length === 0 || tools.includes(aliases[tool] ?? tool),
  )
  return [...new Set(wanted.flatMap(([, names]) => names))].sort()
}
