'use client'
import type { ReactNode } from 'react'
import type { JsonPath } from '@/components/kit/diff/json-edit.ts'
import { toPointer } from '@/components/kit/diff/json-values.ts'
import { Button } from '@/components/ui/button.tsx'
import { ruleKindAt } from '../document/schema-walk.ts'
import { useForm } from './form-context.tsx'
import { RuleCard } from './rule-card.tsx'
import { SchemaFields } from './schema-fields.tsx'

export function UnknownRule({
  path,
  type,
  words,
  hasMode,
  children,
}: {
  readonly path: JsonPath
  readonly type: string
  readonly words: string | null
  readonly hasMode?: boolean
  readonly children?: ReactNode
}) {
  const { show, customRules } = useForm()
  const kind = ruleKindAt(path)
  const custom = customRules.find((rule) => rule.type === type && rule.kind === kind)
  const name = type === '' ? 'without a type' : `of type “${type}”`
  return (
    <RuleCard
      path={path}
      noun={custom === undefined ? 'Custom rule' : type}
      words={words}
      hasMode={hasMode === true}
    >
      {custom !== undefined && custom.schema !== null ? (
        <SchemaFields path={[...path, 'params']} schema={custom.schema} />
      ) : (
        <div className="flex flex-wrap items-center gap-2 text-text-2">
          {custom === undefined
            ? `No runtime reports a rule ${name}, so there is no form for it. Edit it as JSON.`
            : `The runtime that implements “${type}” does not describe its parameters. Edit them as JSON.`}
          <Button onClick={() => show(toPointer(path))}>Show in the JSON</Button>
        </div>
      )}
      {children}
    </RuleCard>
  )
}
