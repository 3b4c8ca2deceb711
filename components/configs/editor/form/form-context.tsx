'use client'
import type { JsonObject } from '@signalbox/core'
import { createContext, type ReactNode, useContext } from 'react'
import type { JsonPath, TextEdit } from '@/components/kit/diff/json-edit.ts'
import type { RuleActivity } from '@/server/configs/rule-activity.ts'
import type { Inherited, LocatedProblem } from '../document/analysis.ts'
import type { CustomRule } from '../document/schema-walk.ts'

export interface FormApi {
  readonly value: JsonObject
  readonly problems: readonly LocatedProblem[]
  /** `make` receives the current text. `typed`: the edit is part of continuous typing. */
  readonly edit: (make: (text: string) => TextEdit | null, typed?: boolean) => void
  readonly add: (path: JsonPath, rule: JsonObject) => void
  /** JSON pointer of the added rule until the focus leaves it; its problems are hidden until then. Null: none. */
  readonly fresh: string | null
  readonly onLeave: () => void
  readonly show: (pointer: string) => void
  /** Custom types, as the most recent runtime registered them. */
  readonly customRules: readonly CustomRule[]
  /** Names in the draft, then those of recorded calls. */
  readonly tools: readonly string[]
  /** Null: not loaded. */
  readonly activity: RuleActivity | null
  /** Ids of the rules in the live versions. */
  readonly released: ReadonlySet<string>
  /** With many rules, all cards begin closed. */
  readonly isOpen: (pointer: string) => boolean
  readonly setOpen: (pointer: string, open: boolean) => void
  readonly fix: (problem: LocatedProblem) => void
  /** Null: the text extends nothing, or its base is not loaded. */
  readonly inherited: Inherited | null
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
