'use client'
import type { PolicyDocument } from '@signalbox/core'
import { describePolicy } from '@signalbox/core/analysis'
import { POLICY_FORMS } from '@signalbox/core/lint'
import type { JsonPath } from '@/components/kit/diff/json-edit.ts'
import { listAt, stringAt } from '@/components/kit/diff/json-values.ts'
import { AddRule } from './add-rule.tsx'
import { useForm } from './form-context.tsx'
import { RuleCard } from './rule-card.tsx'
import { RuleFields } from './rule-fields.tsx'
import { RuleTrial } from './rule-trial.tsx'
import { UnknownRule } from './unknown-rule.tsx'
import { useWords } from './use-words.ts'

/** A map, because the document may have any text as a type. */
const TYPES = new Map(Object.entries(POLICY_FORMS))

export function PolicyList({ path }: { readonly path: JsonPath }) {
  const { value, add } = useForm()
  return (
    <div className="flex flex-col gap-3">
      {listAt(value, path).map((_, index) => (
        // Cards are identified by position, because an id changes while it is typed.
        <PolicyCard key={`policy-${String(index)}`} path={[...path, index]} />
      ))}
      <AddRule kind="policy" onAdd={(rule) => add(path, rule)} />
    </div>
  )
}

function PolicyCard({ path }: { readonly path: JsonPath }) {
  const { value } = useForm()
  const type = stringAt(value, [...path, 'type'])
  // useWords calls this only if the whole document has the shape of a config.
  const words = useWords(path, (rule) => describePolicy(rule as PolicyDocument))
  const known = TYPES.get(type)
  if (known === undefined) return <UnknownRule path={path} type={type} words={words} hasMode />
  const { label, fields } = known
  return (
    <RuleCard path={path} noun={label} words={words} hasMode>
      <RuleFields path={path} fields={fields} />
      <RuleTrial kind="policy" path={path} />
    </RuleCard>
  )
}
