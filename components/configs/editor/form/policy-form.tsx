'use client'
// Policies: one card per rule, and the buttons that add one.
import type { PolicyDocument } from '@signalbox/core'
import { describePolicy } from '@signalbox/core/analysis'
import { Plus } from 'lucide-react'
import type { JsonPath } from '@/components/kit/diff/json-edit.ts'
import { freeId, listAt, stringAt } from '@/components/kit/diff/json-values.ts'
import { Button } from '@/components/ui/button.tsx'
import { useForm } from './form-context.tsx'
import { POLICY_FORMS } from './policy-fields.tsx'
import { RuleCard } from './rule-card.tsx'
import { AddCustom, UnknownRule } from './unknown-rule.tsx'
import { useWords } from './use-words.ts'

export function PolicyList({ path }: { readonly path: JsonPath }) {
  const { value, add } = useForm()
  return (
    <div className="flex flex-col gap-3">
      {listAt(value, path).map((_, index) => (
        // The place in the list is the identity of a rule while its id is being typed.
        <PolicyCard key={`policy-${String(index)}`} path={[...path, index]} />
      ))}
      <div className="flex flex-wrap gap-2">
        {POLICY_FORMS.map(({ label, rule }) => (
          <Button key={label} onClick={() => add(path, { ...rule, id: freeId(value, rule.id) })}>
            <Plus size={14} aria-hidden /> {label}
          </Button>
        ))}
        <AddCustom kind="policy" onAdd={(rule) => add(path, rule)} />
      </div>
    </div>
  )
}

function PolicyCard({ path }: { readonly path: JsonPath }) {
  const { value } = useForm()
  const type = stringAt(value, [...path, 'type'])
  // useWords gives null unless the whole document has the shape of a config.
  const words = useWords(path, (rule) => describePolicy(rule as PolicyDocument))
  const known = POLICY_FORMS.find(({ rule }) => rule.type === type)
  if (known === undefined) return <UnknownRule path={path} type={type} words={words} hasMode />
  const { label, Fields } = known
  return (
    <RuleCard path={path} noun={label} words={words} hasMode>
      <Fields path={path} />
    </RuleCard>
  )
}
