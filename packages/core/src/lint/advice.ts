// What is suspicious in a document that could be decided: advice, never a refusal.

import { isComposite } from '../kinds/checkers.ts'
import type { SectionDocument } from '../kinds/config.ts'
import {
  DEFAULT_WARNING_THRESHOLD_SECONDS,
  type DeadlineProviderDocument,
} from '../kinds/feedback/deadline.ts'
import { type FeedbackProviderDocument, isKnownProvider } from '../kinds/feedback.ts'
import { type Placed, place, warning } from '../kinds/place.ts'
import type { PlacedChecker } from '../kinds/placed.ts'
import { policyRule } from '../kinds/policies.ts'
import { pointerTo } from '../model/json.ts'
import type { Problem } from '../model/problem.ts'
import { isTalkative } from './traps.ts'

export function sectionAdvice({ item, pointer }: Placed<SectionDocument>): readonly Problem[] {
  const own = new Set(item.tools ?? [])
  return place(item.policies ?? [], pointerTo(pointer, 'policies')).flatMap(
    ({ item: policy, pointer: at }) => {
      const governed = policyRule(policy).governs(policy)
      const foreign = governed === 'every' ? [] : governed.filter((tool) => !own.has(tool))
      if (foreign.length === 0) return []
      const message = `A section's rule governs only the section's tools, and ${foreign.join(', ')} is not declared in it. Move the rule to the prompt or declare the tool here.`
      return [warning(at, 'rule_outside_section', message)]
    },
  )
}

export function providerAdvice({
  item,
  pointer,
}: Placed<FeedbackProviderDocument>): readonly Problem[] {
  const at = pointerTo(pointer, 'trigger')
  const { every_n_calls: calls, every_n_seconds: seconds } = item.trigger
  const problems: Problem[] = []
  if (calls === 1 && (isTalkative(item) || item.type === 'deadline')) {
    const message =
      'This provider speaks after every call. A larger every_n_calls is easier to read.'
    problems.push(warning(at, 'noisy_trigger', message))
  }
  const threshold = isKnownProvider(item) && item.type === 'deadline' ? thresholdOf(item) : null
  if (threshold !== null && calls === undefined && seconds !== undefined && seconds > threshold) {
    const message = `The warning begins ${threshold} s before the deadline but feedback comes every ${seconds} s, so the warning may never be given. Shorten every_n_seconds or raise warning_threshold_seconds.`
    problems.push(warning(at, 'threshold_shorter_than_period', message))
  }
  return problems
}

function thresholdOf(item: DeadlineProviderDocument): number {
  return item.warning_threshold_seconds ?? DEFAULT_WARNING_THRESHOLD_SECONDS
}

export function checkerAdvice({ item, pointer }: PlacedChecker): readonly Problem[] {
  if (!isComposite(item) || item.checkers.length > 0) return []
  const message = 'A composite without checkers always passes. Add a checker or remove it.'
  return [warning(pointerTo(pointer, 'checkers'), 'empty_composite', message)]
}
