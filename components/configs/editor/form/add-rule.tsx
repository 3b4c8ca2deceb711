'use client'
import type { JsonObject } from '@signalbox/core'
import { CHECKER_FORMS, CONTENT_FORMS, POLICY_FORMS, PROVIDER_FORMS } from '@signalbox/core/lint'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { freeId } from '@/components/kit/diff/json-values.ts'
import { Button } from '@/components/ui/button.tsx'
import { lazyPopup, PopupFailure, useLazyPopup } from '@/components/ui/lazy-popup.tsx'
import { NEW_TRIGGER } from '../document/new-rules.ts'
import type { RuleKind } from '../document/schema-walk.ts'
import { useForm } from './form-context.tsx'
import type { RuleChoice } from './rule-palette.tsx'

interface OfferedKind {
  /** As in "Add a policy". */
  readonly noun: string
  readonly forms: {
    readonly [type: string]: {
      readonly label: string
      readonly about: string
      readonly sample: object
    }
  }
}

const KINDS = {
  policy: { noun: 'a policy', forms: POLICY_FORMS },
  content: { noun: 'a content rule', forms: CONTENT_FORMS },
  feedback_provider: { noun: 'feedback', forms: PROVIDER_FORMS },
  checker: { noun: 'a check', forms: CHECKER_FORMS },
} as const satisfies { readonly [Kind in RuleKind]: OfferedKind }

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
  const title = `Add ${KINDS[kind].noun}`
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
function useChoices(kind: RuleKind): readonly RuleChoice[] {
  const { customRules } = useForm()
  const builtIn = Object.entries(KINDS[kind].forms).map(([type, { label, about, sample }]) => ({
    ...{ type, label, about },
    // Samples are JSON, but their types have no index signature.
    rule: sample as JsonObject,
  }))
  const custom = customRules
    .filter((rule) => rule.kind === kind)
    .map(({ type }) => ({
      ...{ type, label: type, about: 'A type of your own, which a runtime has code for.' },
      rule: {
        ...{ id: type.replace(/^.*\//, ''), type, params: {} },
        ...(kind === 'feedback_provider' ? { trigger: NEW_TRIGGER } : {}),
      },
    }))
  return [...builtIn, ...custom]
}
