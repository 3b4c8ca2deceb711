import {
  type ConfigDocument,
  type PolicyDocument,
  pointerTo,
  type SectionDocument,
} from '@signalbox/core'
import { describePolicy } from '@signalbox/core/analysis'

export interface DocumentRule {
  readonly rule: string
  readonly pointer: string
  readonly type: string
  readonly mode: 'enforce' | 'shadow' | 'off'
  readonly text: string
}

function toDocumentRules(
  policies: readonly PolicyDocument[],
  base: string,
): readonly DocumentRule[] {
  return policies.map((policy, index) => ({
    rule: policy.id,
    pointer: pointerTo(base, index),
    type: policy.type,
    mode: policy.mode ?? 'enforce',
    text: describePolicy(policy),
  }))
}

function sectionRules(sections: readonly SectionDocument[], base: string): readonly DocumentRule[] {
  return sections.flatMap((section, index) => {
    const pointer = pointerTo(base, index)
    return [
      ...toDocumentRules(section.policies ?? [], `${pointer}/policies`),
      ...sectionRules(section.sections ?? [], `${pointer}/sections`),
    ]
  })
}

export function documentRules(document: ConfigDocument): readonly DocumentRule[] {
  return [
    ...toDocumentRules(document.policies ?? [], '/policies'),
    ...sectionRules(document.sections ?? [], '/sections'),
  ]
}
