'use client'
// Rules that only the base states. They cannot be edited here; a policy can be copied into the draft, to be made stricter.
import type { ConfigDocument, JsonObject, PolicyDocument } from '@signalbox/core'
import {
  describeChecker,
  describeContent,
  describePolicy,
  describeProvider,
} from '@signalbox/core/analysis'
import { placeDocument } from '@signalbox/core/lint'
import { Lock, ShieldPlus } from 'lucide-react'
import { freeId } from '@/components/kit/diff/json-values.ts'
import { Button } from '@/components/ui/button.tsx'
import { Words } from '@/components/ui/words.tsx'
import { useForm } from './form-context.tsx'

interface ListedRule {
  readonly id: string
  readonly words: string
  /** Null: it cannot be made stricter here. */
  readonly policy: PolicyDocument | null
}

/** Empty for parts without rules. */
function listBaseRules(part: string, base: ConfigDocument): readonly ListedRule[] {
  switch (part) {
    case 'policies':
      return placeDocument(base).policies.map(({ item: policy }) => ({
        id: policy.id,
        words: describePolicy(policy),
        policy,
      }))
    case 'content':
      return placeDocument(base).content.map(({ item }) => ({
        id: item.id,
        words: describeContent(item),
        policy: null,
      }))
    case 'feedback':
      return (base.feedback_providers ?? []).map((provider) => ({
        id: provider.id,
        words: describeProvider(provider),
        policy: null,
      }))
    case 'completion':
      return placeDocument(base).checkers.map(({ item }) => ({
        id: item.id,
        words: describeChecker(item),
        policy: null,
      }))
    case 'redaction':
      return (base.redaction ?? []).map(({ id }) => ({ id, words: 'Redaction', policy: null }))
    default:
      return []
  }
}

export function InheritedRules({ part }: { readonly part: string }) {
  const { value, inherited, add } = useForm()
  if (inherited === null) return null
  const { reference, base } = inherited
  // A rule that the draft states has a card.
  const rules = listBaseRules(part, base).filter(({ id }) => freeId(value, id) === id)
  if (rules.length === 0) return null
  return (
    <ul
      aria-label={`Rules from ${reference}`}
      className="mt-3 divide-y divide-border rounded-card border border-border border-dashed"
    >
      {rules.map(({ id, words, policy }) => (
        <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1.5">
          <Lock size={14} className="shrink-0 text-text-3" aria-hidden />
          <span className="min-w-0 flex-1 basis-60">
            <code>{id}</code>{' '}
            <span className="text-small text-text-2">
              from {reference} · <Words text={words} />
            </span>
          </span>
          {policy !== null && (
            <Button
              aria-label={`Make ${id} stricter`}
              // Policies are JSON; their types only lack an index signature.
              onClick={() => add(['policies'], policy as unknown as JsonObject)}
            >
              <ShieldPlus size={14} aria-hidden /> Make stricter
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
}
