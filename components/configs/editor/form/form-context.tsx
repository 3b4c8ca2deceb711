'use client'
// Context of the form's fields: the value that they show, and `edit`, the only way to change it.
import type { JsonObject } from '@signalbox/core'
import { createContext, type ReactNode, useContext } from 'react'
import type { JsonPath, TextEdit } from '@/components/kit/diff/json-edit.ts'
import type { RuleActivity } from '@/server/configs/rule-activity.ts'
import type { LocatedProblem } from '../analysis.ts'
import type { CustomRule } from '../schema-walk.ts'

export interface FormApi {
  readonly value: JsonObject
  /** Problems of the text; each is also shown in the card of its rule. */
  readonly problems: readonly LocatedProblem[]
  /** `make` receives the current text. `typed`: the edit is part of continuous typing. */
  readonly edit: (make: (text: string) => TextEdit | null, typed?: boolean) => void
  /** Appends a rule to the list, or sets the single rule at the path, and focuses its first field. */
  readonly add: (path: JsonPath, rule: JsonObject) => void
  /** JSON pointer of the added rule until the focus leaves it; its problems are hidden until then. Null: none. */
  readonly fresh: string | null
  readonly onLeave: () => void
  /** Shows a place of the text in the JSON editor. */
  readonly show: (pointer: string) => void
  /** Custom types, as the most recent runtime registered them. */
  readonly customRules: readonly CustomRule[]
  /** Activity of the rules in stored sessions; null: not loaded. */
  readonly activity: RuleActivity | null
  /** True: the rule's card shows its fields. With many rules, all cards begin closed. */
  readonly isOpen: (pointer: string) => boolean
  readonly setOpen: (pointer: string, open: boolean) => void
  /** Applies the fix of the problem. */
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
