import { pointerTo } from '../model/json.ts'
import { type Placed, place } from './base/place.ts'
import { type CheckerDocument, isComposite, MAX_CHECKER_DEPTH } from './checkers.ts'
import type { ConfigDocument, SectionDocument } from './config.ts'
import type { ContentRuleDocument } from './content/content-rule.ts'
import type { FeedbackProviderDocument } from './feedback.ts'
import type { PolicyDocument } from './policies.ts'

export interface PlacedPolicy extends Placed<PolicyDocument> {
  /** Section that declares the policy; null: the prompt. */
  readonly section: SectionDocument | null
}

export interface PlacedContent extends Placed<ContentRuleDocument> {
  /** Section that declares the rule; null: the prompt. */
  readonly section: SectionDocument | null
}

export interface PlacedChecker extends Placed<CheckerDocument> {
  /** 1 for the root. */
  readonly depth: number
}

export interface PlacedDocument {
  readonly sections: readonly Placed<SectionDocument>[]
  /** Policies of the sections, then those of the prompt. */
  readonly policies: readonly PlacedPolicy[]
  /** Content rules of the sections, then those of the prompt. */
  readonly content: readonly PlacedContent[]
  readonly providers: readonly Placed<FeedbackProviderDocument>[]
  /** Down to one level below the deepest allowed one. */
  readonly checkers: readonly PlacedChecker[]
  /** Canonical names of tools that sections declare or aliases map to. Empty: no section declares tools, so any tool may exist. */
  readonly declaredTools: ReadonlySet<string>
}

export function placeDocument(document: ConfigDocument): PlacedDocument {
  const sections = place(document.sections ?? [], '/sections').flatMap(withNested)
  const sectionPolicies = sections.flatMap(({ item, pointer }) =>
    place(item.policies ?? [], pointerTo(pointer, 'policies')).map((policy) => ({
      ...policy,
      section: item,
    })),
  )
  const sectionContent = sections.flatMap(({ item, pointer }) =>
    place(item.content ?? [], pointerTo(pointer, 'content')).map((rule) => ({
      ...rule,
      section: item,
    })),
  )
  const promptPolicies = place(document.policies ?? [], '/policies')
  const root = document.task_completion_checker
  return {
    sections,
    policies: [
      ...sectionPolicies,
      ...promptPolicies.map((policy) => ({ ...policy, section: null })),
    ],
    content: [
      ...sectionContent,
      ...place(document.content ?? [], '/content').map((rule) => ({ ...rule, section: null })),
    ],
    providers: place(document.feedback_providers ?? [], '/feedback_providers'),
    checkers:
      root === undefined
        ? []
        : checkersBelow({ item: root, pointer: '/task_completion_checker' }, 1),
    declaredTools: declaredTools(document, sections),
  }
}

/** Aliases count only if a section declares tools: an alias proves that the harness has the tool, not that there are no others. */
function declaredTools(
  { aliases = {} }: ConfigDocument,
  sections: readonly Placed<SectionDocument>[],
): ReadonlySet<string> {
  const tools = sections.flatMap(({ item }) => item.tools ?? [])
  return new Set(tools.length === 0 ? tools : [...tools, ...Object.values(aliases)])
}

function withNested(section: Placed<SectionDocument>): Placed<SectionDocument>[] {
  const below = place(section.item.sections ?? [], pointerTo(section.pointer, 'sections'))
  return [section, ...below.flatMap(withNested)]
}

function checkersBelow({ item, pointer }: Placed<CheckerDocument>, depth: number): PlacedChecker[] {
  const here = { item, pointer, depth }
  if (!isComposite(item)) return [here]
  if (depth > MAX_CHECKER_DEPTH) return [here]
  const below = place(item.checkers, pointerTo(pointer, 'checkers'))
  return [here, ...below.flatMap((child) => checkersBelow(child, depth + 1))]
}
