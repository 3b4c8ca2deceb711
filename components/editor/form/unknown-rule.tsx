'use client'
// A rule of a type that this console has no form for: shown by name, edited as JSON.
import { Button } from '@/components/ui/button.tsx'
import type { JsonPath } from '../json-edit.ts'
import { pointerOf, useForm } from './form-context.tsx'
import { RuleCard } from './rule-card.tsx'

export function UnknownRule({ path, type }: { readonly path: JsonPath; readonly type: string }) {
  const { show } = useForm()
  const name = type === '' ? 'without a type' : `of type “${type}”`
  return (
    <RuleCard path={path} noun="Rule" words={null}>
      <div className="flex flex-wrap items-center gap-2 text-text-2">
        There is no form for a rule {name}. It can be edited as JSON.
        <Button onClick={() => show(pointerOf(path))}>Show in the JSON</Button>
      </div>
    </RuleCard>
  )
}
