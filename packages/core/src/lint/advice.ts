// Advice, never a refusal.

import { type Placed, place, warning } from '../kinds/base/place.ts'
import { isComposite } from '../kinds/checkers.ts'
import type { SectionDocument } from '../kinds/config.ts'
import type { FeedbackProviderDocument } from '../kinds/feedback.ts'
import { providerForm } from '../kinds/forms/feedback.ts'
import type { PlacedChecker } from '../kinds/placed.ts'
import { policyRule } from '../kinds/policies.ts'
import { pointerTo } from '../model/json.ts'
import type { Problem } from '../model/problem.ts'

export function sectionAdvice({ item, pointer }: Placed<SectionDocument>): readonly Problem[] {
  const own = new Set(item.tools ?? [])
  return place(item.policies ?? [], pointerTo(pointer, 'policies')).flatMap(
    ({ item: policy, pointer: at }) => {
      const governed = policyRule(policy).governs(policy)
      const foreign = governed === 'every' ? [] : governed.filter((tool) => !own.has(tool))
      if (foreign.length === 0) return []
      const verb = foreign.length === 1 ? 'is' : 'are'
      const message = `A section's rule governs only the section's tools, and ${foreign.join(', ')} ${verb} not declared in it. Move the rule to the prompt or declare the tool here.`
      return [warning(at, 'rule_outside_section', message)]
    },
  )
}

export function providerAdvice({
  item,
  pointer,
}: Placed<FeedbackProviderDocument>): readonly Problem[] {
  const form = providerForm(item)
  if (form === null) return []
  const message =
    'This provider gives feedback after every call. A larger every_n_calls is easier to read.'
  const isTooFrequent = form.isNoisy && item.trigger.every_n_calls === 1
  return [
    ...(isTooFrequent ? [warning(pointerTo(pointer, 'trigger'), 'noisy_trigger', message)] : []),
    ...form.advice(item, pointer),
  ]
}

export function checkerAdvice({ item, pointer }: PlacedChecker): readonly Problem[] {
  if (!isComposite(item) || item.checkers.length > 0) return []
  const message = 'A composite without checkers always passes. Add a checker or remove it.'
  return [warning(pointerTo(pointer, 'checkers'), 'empty_composite', message)]
}
