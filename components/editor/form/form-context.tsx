'use client'
// What the fields of the form share: the value that they show, and the one way to change it: an edit of the text.
import type { JsonObject } from '@signalbox/core'
import { createContext, type ReactNode, useContext } from 'react'
import type { LocatedProblem } from '../analysis.ts'
import type { TextEdit } from '../json-edit.ts'

export interface FormApi {
  readonly value: JsonObject
  /** Also shown beneath the rule that they are about. */
  readonly problems: readonly LocatedProblem[]
  /** `make` gets the text as it is now. `typed`: part of a run of typing. */
  readonly edit: (make: (text: string) => TextEdit | null, typed?: boolean) => void
  /** Shows a place of the text in the JSON editor. */
  readonly show: (pointer: string) => void
  /** Makes the repair that the problem offers. */
  readonly fix: (problem: LocatedProblem) => void
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
