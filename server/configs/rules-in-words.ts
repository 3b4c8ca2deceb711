// A config's rules as sentences, made on the server so that a page need not parse the text again.
import {
  type CheckerDocument,
  type ConfigDocument,
  isComposite,
  pointerTo,
  type SectionDocument,
} from '@signalbox/core'
import {
  describeChecker,
  describeContent,
  describePolicy,
  describeProvider,
  plainWords,
} from '@signalbox/core/analysis'
import { parseConfigText } from '@signalbox/wire'

export interface RuleLine {
  readonly id: string
  readonly pointer: string
  readonly sentence: string
  /** For people who do not read conditions: with the author's reason in place of the condition. Absent: the sentence has no condition, or no reason. */
  readonly plain?: string
  /** The author's whole reason. Absent: `plain` quotes all of it, or there is none. */
  readonly told?: string
  readonly mode: string
  readonly kind: 'policy' | 'provider' | 'checker' | 'composite'
  readonly depth?: number
}

function policyLines(document: ConfigDocument): RuleLine[] {
  const of = (
    base: string,
    place: string,
    { content = [], policies = [] }: Pick<SectionDocument, 'content' | 'policies'>,
  ) => [
    ...content.map((rule, index) => ({
      id: rule.id,
      pointer: pointerTo(`${base}/content`, index),
      sentence: describeContent(rule) + place,
      mode: rule.mode ?? 'enforce',
      kind: 'policy' as const,
    })),
    ...policies.map((policy, index) => ({
      id: policy.id,
      pointer: pointerTo(`${base}/policies`, index),
      sentence: describePolicy(policy) + place,
      ...plainWords(policy, 'Denies a call'),
      mode: policy.mode ?? 'enforce',
      kind: 'policy' as const,
    })),
  ]
  const sections = (base: string, list: readonly SectionDocument[] = []): RuleLine[] =>
    list.flatMap((section, index) => {
      const pointer = pointerTo(`${base}/sections`, index)
      return [
        ...of(pointer, ` (section \`${section.id}\`)`, section),
        ...sections(pointer, section.sections),
      ]
    })
  return [...sections('', document.sections), ...of('', '', document)]
}

function checkerLines(
  checker: CheckerDocument | undefined,
  pointer: string,
  depth = 0,
): RuleLine[] {
  if (checker === undefined) return []
  const { id } = checker
  const own = { id, pointer, mode: 'enforce', depth }
  if (!isComposite(checker)) {
    const plain = plainWords(checker, 'Blocks a stop')
    return [{ ...own, kind: 'checker', sentence: describeChecker(checker), ...plain }]
  }
  const isAll = checker.all_must_pass ?? true
  const sentence = isAll ? 'All of the following' : 'Any one of the following'
  const below = checker.checkers.flatMap((child, index) =>
    checkerLines(child, pointerTo(`${pointer}/checkers`, index), depth + 1),
  )
  return [{ ...own, kind: 'composite', sentence }, ...below]
}

/** In the order in which the engine evaluates them. */
export interface RulesInWords {
  readonly policies: readonly RuleLine[]
  readonly providers: readonly RuleLine[]
  readonly checkers: readonly RuleLine[]
  /** Number of blocked stops after which the next one is allowed. */
  readonly maxStopBlocks: number
}

/** Null: this build cannot parse the text. */
export function rulesInWords(text: string): RulesInWords | null {
  const parsed = parseConfigText(text)
  if (!parsed.ok) return null
  const { document } = parsed
  return {
    policies: policyLines(document),
    providers: (document.feedback_providers ?? []).map((provider, index) => ({
      id: provider.id,
      pointer: pointerTo('/feedback_providers', index),
      sentence: describeProvider(provider),
      mode: provider.mode ?? 'enforce',
      kind: 'provider' as const,
    })),
    checkers: checkerLines(document.task_completion_checker, '/task_completion_checker'),
    maxStopBlocks: document.limits?.max_stop_blocks ?? 10,
  }
}
