'use client'
// Context of the form's fields: the value that they show, and the only way to change it, an edit of the text.
import type { JsonObject } from '@signalbox/core'
import { createContext, type ReactNode, useContext } from 'react'
import type { JsonPath, TextEdit } from '@/components/kit/diff/json-edit.ts'
import type { RuleActivity } from '@/server/configs/rule-activity.ts'
import type { LocatedProblem } from '../analysis.ts'
import type { CustomRule } from '../schema-walk.ts'

export interface FormApi {
  readonly value: JsonObject
  /** Also shown below the rule that they are about. */
  readonly problems: readonly LocatedProblem[]
  /** `make` receives the current text. `typed`: part of a sequence of typing. */
  readonly edit: (make: (text: string) => TextEdit | null, typed?: boolean) => void
  /** Appends a rule to the list, or sets the single rule at the path, and puts the cursor in its first field. */
  readonly add: (path: JsonPath, rule: JsonObject) => void
  /** JSON pointer of the rule that was added and not left since: its problems wait until then. */
  readonly fresh: string | null
  readonly onLeave: () => void
  /** Shows a place of the text in the JSON editor. */
  readonly show: (pointer: string) => void
  /** Types that runtimes have code for, as the one seen last registered them. */
  readonly customRules: readonly CustomRule[]
  /** Activity of the rules in stored sessions; null until it is known. */
  readonly activity: RuleActivity | null
  /** True when the card of the rule shows its fields. With many rules all begin closed. */
  readonly isOpen: (pointer: string) => boolean
  readonly setOpen: (pointer: string, open: boolean) => void
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
