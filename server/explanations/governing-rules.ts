import {
  type ConfigDocument,
  type ContentRuleDocument,
  type PolicyDocument,
  pointerTo,
  type SectionDocument,
} from '@signalbox/core'
import { describeContent, describePolicy, explainPolicy } from '@signalbox/core/analysis'

export interface DocumentRule {
  readonly rule: string
  readonly pointer: string
  readonly type: string
  readonly mode: 'enforce' | 'shadow' | 'off'
  readonly text: string
  /** `text` with the tools and the condition in place of the author's reason; null: `text` has them. */
  readonly fullText: string | null
  /** Part of a call that the rule judges. */
  readonly on: 'call' | 'result'
}

function toDocumentRules(
  policies: readonly PolicyDocument[],
  base: string,
): readonly DocumentRule[] {
  return policies.map((policy, index) => {
    const text = explainPolicy(policy)
    const fullText = describePolicy(policy)
    return {
      rule: policy.id,
      pointer: pointerTo(base, index),
      type: policy.type,
      mode: policy.mode ?? 'enforce',
      text,
      fullText: fullText === text ? null : fullText,
      on: 'call',
    }
  })
}

function toContentRules(
  content: readonly ContentRuleDocument[],
  base: string,
): readonly DocumentRule[] {
  return content.map((rule, index) => ({
    rule: rule.id,
    pointer: pointerTo(base, index),
    type: 'content',
    mode: rule.mode ?? 'enforce',
    text: describeContent(rule),
    fullText: null,
    on: rule.on === 'result' ? 'result' : 'call',
  }))
}

function sectionRules(sections: readonly SectionDocument[], base: string): readonly DocumentRule[] {
  return sections.flatMap((section, index) => {
    const pointer = pointerTo(base, index)
    return [
      ...toContentRules(section.content ?? [], `${pointer}/content`),
      ...toDocumentRules(section.policies ?? [], `${pointer}/policies`),
      ...sectionRules(section.sections ?? [], `${pointer}/sections`),
    ]
  })
}

export function documentRules(document: ConfigDocument): readonly DocumentRule[] {
  return [
    ...toContentRules(document.content ?? [], '/content'),
    ...toDocumentRules(document.policies ?? [], '/policies'),
    ...sectionRules(document.sections ?? [], '/sections'),
  ]
}
