import { type Placed, warning } from '../kinds/base/place.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import type { FeedbackProviderDocument } from '../kinds/feedback.ts'
import { providerForm } from '../kinds/forms/feedback.ts'
import type { Problem } from '../model/problem.ts'
import type { RuleBase } from '../model/rule.ts'

/** A config whose other rules are all in shadow mode only records, so its limit of 0 is meant: checks have no shadow mode. */
export function limitAdvice(
  { limits, task_completion_checker: checker }: ConfigDocument,
  others: readonly Placed<RuleBase>[],
): readonly Problem[] {
  if (checker === undefined || limits?.max_stop_blocks !== 0) return []
  if (others.length > 0 && others.every(({ item }) => item.mode === 'shadow')) return []
  const message =
    '“Maximum blocked stops” (max_stop_blocks) is 0, which turns blocking off: the checks only record. Remove it for the default of 10, or raise it.'
  return [warning('/limits/max_stop_blocks', 'stops_never_blocked', message)]
}

/** Warns about providers that never deliver, because an exclusive provider before them delivers after every call. */
export function exclusiveAdvice(
  { feedback_exclusive: isExclusive = false }: ConfigDocument,
  providers: readonly Placed<FeedbackProviderDocument>[],
): readonly Problem[] {
  const first = isExclusive ? providers.findIndex(({ item }) => alwaysDelivers(item)) : -1
  if (first === -1) return []
  const by = providers[first]?.item.id ?? ''
  return providers.slice(first + 1).flatMap(({ item, pointer }) => {
    if (item.mode === 'off') return []
    const message = `This provider never gives feedback: feedback_exclusive is set, and "${by}" before it gives feedback after every call. Move it before "${by}", or make "${by}" less frequent.`
    return [warning(pointer, 'provider_never_heard', message)]
  })
}

function alwaysDelivers(provider: FeedbackProviderDocument): boolean {
  return (
    (provider.mode ?? 'enforce') === 'enforce' &&
    provider.trigger.every_n_calls === 1 &&
    providerForm(provider)?.isTalkative === true
  )
}
