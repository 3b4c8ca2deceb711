import type { RedactionRuleDocument } from '@signalbox/core'
import { parseConfigSource } from '@signalbox/wire'
import type { Workbench } from '@/server/configs/drafts.ts'

export interface RuleSource {
  /** Name of the environment, or `~draft`. */
  readonly place: string
  readonly label: string
  /** Null: the text is no valid config, so its rules are unknown. */
  readonly rules: readonly RedactionRuleDocument[] | null
}

function parseRedactionRules(text: string): RuleSource['rules'] {
  const parsed = parseConfigSource(text)
  return parsed.ok ? (parsed.document.redaction ?? []) : null
}

/** Environments in order of promotion, then the draft; without either, the newest version. */
export function listRuleSources({ targets, draft, base }: Workbench): readonly RuleSource[] {
  const live = targets.flatMap(({ name, live: version }): RuleSource[] =>
    version === null
      ? []
      : [
          {
            place: name,
            label: `${name}, v${version.number}`,
            rules: parseRedactionRules(version.text),
          },
        ],
  )
  const typed: RuleSource[] =
    draft === null
      ? []
      : [{ place: '~draft', label: 'the draft', rules: parseRedactionRules(draft.text) }]
  const all = [...live, ...typed]
  if (all.length > 0 || base === null) return all
  return [{ place: '~base', label: `v${base.number}`, rules: parseRedactionRules(base.text) }]
}
