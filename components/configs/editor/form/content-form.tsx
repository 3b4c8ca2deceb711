'use client'
import type { ContentRuleDocument } from '@signalbox/core'
import { describeContent } from '@signalbox/core/analysis'
import { CONTENT_FORMS } from '@signalbox/core/lint'
import type { JsonPath } from '@/components/kit/diff/json-edit.ts'
import { listAt, stringAt } from '@/components/kit/diff/json-values.ts'
import { AddRule } from './add-rule.tsx'
import { useForm } from './form-context.tsx'
import { RuleCard } from './rule-card.tsx'
import { RuleFields } from './rule-fields.tsx'
import { useWords } from './use-words.ts'

/** A map, because the document may have any text as a kind. */
const KINDS = new Map(Object.entries(CONTENT_FORMS))

export function ContentList({ path }: { readonly path: JsonPath }) {
  const { value, add } = useForm()
  return (
    <div className="flex flex-col gap-3">
      {listAt(value, path).map((_, index) => (
        // Cards are identified by position, because an id changes while it is typed.
        <ContentCard key={`content-${String(index)}`} path={[...path, index]} />
      ))}
      <AddRule kind="content" onAdd={(rule) => add(path, rule)} />
    </div>
  )
}

function ContentCard({ path }: { readonly path: JsonPath }) {
  const { value } = useForm()
  // useWords calls this only if the whole document has the shape of a config.
  const words = useWords(path, (rule) => describeContent(rule as ContentRuleDocument))
  const known = KINDS.get(stringAt(value, [...path, 'kind']))
  return (
    <RuleCard path={path} noun={known?.label ?? 'Content rule'} words={words} hasMode>
      <RuleFields path={path} fields={known?.fields ?? []} />
    </RuleCard>
  )
}
