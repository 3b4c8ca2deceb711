'use client'
import type { CheckerDocument } from '@signalbox/core'
import { describeChecker } from '@signalbox/core/analysis'
import { CHECKER_FORMS } from '@signalbox/core/lint'
import { type JsonPath, removeValue, setValue } from '@/components/kit/diff/json-edit.ts'
import { listAt, stringAt, valueAt } from '@/components/kit/diff/json-values.ts'
import { Select } from '@/components/ui/select.tsx'
import { AddRule } from './add-rule.tsx'
import { useForm } from './form-context.tsx'
import { RuleCard } from './rule-card.tsx'
import { RuleFields } from './rule-fields.tsx'
import { RuleTrial } from './rule-trial.tsx'
import { UnknownRule } from './unknown-rule.tsx'
import { useWords } from './use-words.ts'

const ROOT = ['task_completion_checker'] as const

/** A map, because the document may have any text as a type. */
const TYPES = new Map(Object.entries(CHECKER_FORMS))

export function CheckerTree() {
  const { value, add, inherited } = useForm()
  if (valueAt(value, ROOT) !== undefined) return <CheckerCard path={ROOT} />
  return (
    <div className="flex flex-col gap-2">
      <p className="text-text-2">
        {inherited?.base.task_completion_checker === undefined
          ? 'Stops are not checked. Choose the condition for the agent to stop.'
          : `The check of ${inherited.reference} below applies. Choose a condition that must hold as well.`}
      </p>
      <AddRule kind="checker" onAdd={(rule) => add(ROOT, rule)} />
    </div>
  )
}

function CheckerCard({ path }: { readonly path: JsonPath }) {
  const { value } = useForm()
  const type = stringAt(value, [...path, 'type'])
  // useWords calls this only if the whole document has the shape of a config.
  const words = useWords(path, (rule) => describeChecker(rule as CheckerDocument))
  const known = TYPES.get(type)
  if (known === undefined) return <UnknownRule path={path} type={type} words={words} />
  return (
    <RuleCard path={path} noun={known.label} words={words}>
      <RuleFields
        path={path}
        fields={known.fields}
        checkers={(composite) => <Composite path={composite} />}
      />
      <RuleTrial kind="checker" path={path} />
    </RuleCard>
  )
}

const HOW_MANY = [
  { value: 'all', label: 'all must pass' },
  { value: 'any', label: 'any one is enough' },
] as const

function Composite({ path }: { readonly path: JsonPath }) {
  const { value, edit, add } = useForm()
  const list = [...path, 'checkers']
  const flag = [...path, 'all_must_pass']
  return (
    <>
      <Select
        label="How many must pass"
        value={valueAt(value, flag) === false ? 'any' : 'all'}
        options={HOW_MANY}
        onChange={(next) =>
          edit((text) => (next === 'any' ? setValue(text, flag, false) : removeValue(text, flag)))
        }
        className="self-start"
      />
      <div className="flex flex-col gap-3 border-border border-l-2 pl-3">
        {listAt(value, list).map((_, index) => (
          // Cards are identified by position, because an id changes while it is typed.
          <CheckerCard key={`checker-${String(index)}`} path={[...list, index]} />
        ))}
        <AddRule kind="checker" onAdd={(rule) => add(list, rule)} />
      </div>
    </>
  )
}
