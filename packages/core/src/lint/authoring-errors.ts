// The engine does not check these errors, because only authors can fix them.

import { error, type Placed } from '../kinds/base/place.ts'
import { checkerRule } from '../kinds/checkers.ts'
import type { ConfigDocument, SectionDocument } from '../kinds/config.ts'
import { contentErrors } from '../kinds/content.ts'
import { triggerErrors } from '../kinds/feedback/trigger.ts'
import { type PlacedDocument, placeDocument } from '../kinds/placed.ts'
import { policyRule } from '../kinds/policies.ts'
import { pointerTo } from '../model/json.ts'
import { calibrationProblems } from '../model/lease-calibration.ts'
import type { Problem } from '../model/problem.ts'
import { dependencyErrors } from './dependency-errors.ts'

export function authoringErrors(
  document: ConfigDocument,
  placed: PlacedDocument = placeDocument(document),
): readonly Problem[] {
  const { sections, policies, content, providers, checkers, declaredTools } = placed
  return [
    ...repeatedSections(sections),
    ...policies.flatMap(({ item, pointer }) => policyRule(item).errors(item, pointer)),
    ...dependencyErrors(policies, declaredTools),
    ...content.flatMap(contentErrors),
    ...providers.flatMap(({ item, pointer }) =>
      triggerErrors(item.trigger, pointerTo(pointer, 'trigger')),
    ),
    ...checkers.flatMap(({ item, pointer }) => checkerRule(item)?.errors(item, pointer) ?? []),
    ...(document.lease === undefined ? [] : calibrationProblems(document.lease, '/lease')),
  ]
}

function repeatedSections(sections: readonly Placed<SectionDocument>[]): readonly Problem[] {
  const first = new Map<string, string>()
  return sections.flatMap(({ item: { id }, pointer }) => {
    const known = first.get(id)
    if (known === undefined) {
      first.set(id, pointer)
      return []
    }
    const message = `The section id "${id}" is already used at ${known}. Use a different id here.`
    return [error(pointerTo(pointer, 'id'), 'duplicate_section_id', message)]
  })
}
