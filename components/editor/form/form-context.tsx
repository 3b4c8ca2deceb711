'use client'
// What the fields of the form share: the value that they show, and the one way to change it: an edit of the text.
import { isJsonObject, type JsonObject, type JsonValue, pointerTo } from '@signalbox/core'
import { createContext, type ReactNode, useContext } from 'react'
import type { LocatedProblem } from '../analysis.ts'
import type { JsonPath, TextEdit } from '../json-edit.ts'

export interface FormApi {
  readonly value: JsonObject
  /** Also shown beneath the rule that they are about. */
  readonly problems: readonly LocatedProblem[]
  /** `make` gets the text as it is now. `typed`: part of a run of typing. */
  readonly edit: (make: (text: string) => TextEdit | null, typed?: boolean) => void
  /** Shows a place of the text in the JSON editor. */
  readonly show: (pointer: string) => void
}

const FormContext = createContext<FormApi | null>(null)

export function FormProvider({
  api,
  children,
}: {
  readonly api: FormApi
  readonly children: ReactNode
}) {
  return <FormContext value={api}>{children}</FormContext>
}

export function useForm(): FormApi {
  const api = useContext(FormContext)
  if (api === null) throw new Error('Form fields are used inside FormProvider.')
  return api
}

export function valueAt(value: JsonValue, path: JsonPath): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((node, step) => {
    if (Array.isArray(node)) {
      const items: readonly JsonValue[] = node
      return typeof step === 'number' ? items[step] : undefined
    }
    return isJsonObject(node) && Object.hasOwn(node, step) ? node[step] : undefined
  }, value)
}

export function pointerOf(path: JsonPath): string {
  return path.reduce<string>((pointer, step) => pointerTo(pointer, step), '')
}

export function listAt(value: JsonValue, path: JsonPath): readonly JsonValue[] {
  const found = valueAt(value, path)
  return Array.isArray(found) ? found : []
}

export function objectAt(value: JsonValue, path: JsonPath): JsonObject {
  const found = valueAt(value, path)
  return isJsonObject(found) ? found : {}
}

export function stringAt(value: JsonValue, path: JsonPath): string {
  const found = valueAt(value, path)
  return typeof found === 'string' ? found : ''
}

/** An id that no rule of the document has: `static`, `static-2`, … */
export function freeId(value: JsonValue, wanted: string): string {
  const text = JSON.stringify(value)
  const taken = (id: string) => text.includes(`"id":${JSON.stringify(id)}`)
  if (!taken(wanted)) return wanted
  for (let n = 2; ; n++) {
    if (!taken(`${wanted}-${n}`)) return `${wanted}-${n}`
  }
}
