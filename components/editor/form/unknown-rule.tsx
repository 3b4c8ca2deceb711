'use client'
// A rule of a type that this console has no form for: shown by name, edited as JSON.
import type { ReactNode } from 'react'
import { Button } from '@/components/ui/button.tsx'
import type { JsonPath } from '../json-edit.ts'
import { pointerOf } from '../json-values.ts'
import { useForm } from './form-context.tsx'
import { RuleCard } from './rule-card.tsx'

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
  /** Fields that rules of any type have. */
  readonly children?: ReactNode
}) {
  const { show } = useForm()
  const name = type === '' ? 'without a type' : `of type “${type}”`
  return (
    <RuleCard path={path} noun="Custom rule" words={words} hasMode={hasMode === true}>
      <div className="flex flex-wrap items-center gap-2 text-text-2">
        There is no form for a rule {name}. It can be edited as JSON.
        <Button onClick={() => show(pointerOf(path))}>Show in the JSON</Button>
      </div>
      {children}
    </RuleCard>
  )
}
