'use client'
import type { JsonObject } from '@signalbox/core'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { freeId } from '@/components/kit/diff/json-values.ts'
import { Button } from '@/components/ui/button.tsx'
import { lazyPopup, PopupFailure, useLazyPopup } from '@/components/ui/lazy-popup.tsx'
import { NEW_TRIGGER, OFFERED_TYPES, type OfferedType } from '../document/new-rules.ts'
import type { RuleKind } from '../document/schema-walk.ts'
import { useForm } from './form-context.tsx'

const TITLES = {
  policy: 'Add a policy',
  content: 'Add a content rule',
  feedback_provider: 'Add feedback',
  checker: 'Add a check',
} as const satisfies { readonly [Kind in RuleKind]: string }

const PALETTE = lazyPopup(() => import('./rule-palette.tsx').then((module) => module.RulePalette))

export function AddRule({
  kind,
  onAdd,
}: {
  readonly kind: RuleKind
  /** With an id that the document does not have yet. */
  readonly onAdd: (rule: JsonObject) => void
}) {
  const [isOpen, setOpen] = useState(false)
  const { value } = useForm()
  const choices = useChoices(kind)
  const title = TITLES[kind]
  const { Part, hasFailed } = useLazyPopup(PALETTE, isOpen)
  return (
    <>
      <Button className="self-start" onClick={() => setOpen(true)}>
        <Plus size={14} aria-hidden /> {title}
      </Button>
      {Part !== null && (
        <Part
          title={title}
          choices={choices}
          open={isOpen}
          onOpenChange={setOpen}
          onChoose={({ rule }) => {
            setOpen(false)
            onAdd({ ...rule, id: freeId(value, String(rule['id'])) })
          }}
        />
      )}
      {hasFailed && <PopupFailure onRetry={PALETTE.fetch} />}
    </>
  )
}

/** The built-in types, and those for which a runtime reports that it has code. */
function useChoices(kind: RuleKind): readonly OfferedType[] {
  const { customRules } = useForm()
  const custom = customRules
    .filter((rule) => rule.kind === kind)
    .map(({ type }) => ({
      ...{ type, label: type, about: 'A custom type that one of your runtimes implements.' },
      rule: {
        ...{ id: type.replace(/^.*\//, ''), type, params: {} },
        ...(kind === 'feedback_provider' ? { trigger: NEW_TRIGGER } : {}),
      },
    }))
  return [...OFFERED_TYPES[kind], ...custom]
}
