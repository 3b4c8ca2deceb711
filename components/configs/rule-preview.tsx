'use client'
import { plural } from '@signalbox/core/analysis'
import type { RuleLine, RulesInWords } from '@/server/configs/rules-in-words.ts'
import { listLeaves, RuleSentence } from './template-cards.tsx'

/** Null: the text cannot be read as a config. */
export function RulePreview({ rules }: { readonly rules: RulesInWords | null }) {
  if (rules === null) {
    return (
      <p className="text-text-2">
        The document is not a valid config yet. The editor lists its problems.
      </p>
    )
  }
  const { policies, providers, checkers, maxStopBlocks } = rules
  const checks = listLeaves(checkers)
  if (policies.length + providers.length + checks.length === 0) {
    return <p className="text-text-2">No rules yet: every call and every stop is allowed.</p>
  }
  return (
    <>
      <Group title="Before a call" rules={policies} />
      <Group title="Advises, after a call" rules={providers} />
      <Group title="Checks a stop" rules={checks} />
      {checks.length > 0 && (
        <p className="text-small text-text-2">
          {maxStopBlocks === 0
            ? 'Stops are checked and recorded, but never blocked.'
            : `Blocks at most ${plural(maxStopBlocks, 'stop')}.`}
        </p>
      )}
    </>
  )
}

function Group({ title, rules }: { readonly title: string; readonly rules: readonly RuleLine[] }) {
  if (rules.length === 0) return null
  return (
    <section className="flex flex-col gap-1">
      <h3 className="font-semibold text-small text-text-2">{title}</h3>
      <ul className="flex flex-col gap-1 text-small">
        {rules.map((rule) => (
          <RuleSentence key={rule.id} rule={rule} />
        ))}
      </ul>
    </section>
  )
}

export function SentenceList({
  title,
  sentences,
}: {
  readonly title: string
  readonly sentences: readonly string[]
}) {
  return (
    <Group
      title={title}
      rules={[...new Set(sentences)].map((sentence) => ({
        id: sentence,
        pointer: '',
        sentence: sentence.replaceAll(/"([^"]+)"/g, '`$1`').replace(/\.$/, ''),
        mode: 'enforce',
        kind: 'policy',
      }))}
    />
  )
}
