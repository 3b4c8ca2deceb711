// Redacted, and short enough that the event is accepted. A plan that is not recorded could not be checked.

import type { JsonValue, PlanStep } from '@signalbox/core'
import type { Redact } from '@signalbox/wire'

const MOST_STEPS = 1000
const MAX_NAME = 300
/** Lengths of a title in UTF-16 units, tried in order until the plan fits. */
const TITLE_LIMITS = [2000, 200, 20]
/** Limit of the steps as JSON. The record of a stop holds them twice, and an event line is at most 256 KiB. */
const MAX_PLAN_BYTES = 100 * 1024

/** No step is lost: steps that do not fit are merged into one, which is done when all of them are. */
export function recordablePlan(steps: readonly PlanStep[], redact: Redact): readonly PlanStep[] {
  const all = Array.from(steps, (step) => recordableStep(step, redact))
  const kept = all.length > MOST_STEPS ? all.slice(0, MOST_STEPS - 1) : all
  const rest = all.slice(kept.length)
  const plan = rest.length === 0 ? kept : [...kept, summed(rest)]
  for (const limit of TITLE_LIMITS) {
    const short = plan.map((step) => ({ ...step, title: step.title.slice(0, limit) }))
    if (Buffer.byteLength(JSON.stringify(short)) <= MAX_PLAN_BYTES) return short
  }
  return [summed(all)]
}

function recordableStep({ id, title, status }: PlanStep, redact: Redact): PlanStep {
  return {
    ...(id === undefined ? {} : nonEmpty('id', recordableText(id, redact))),
    title: recordableText(title, redact),
    ...(status === undefined ? {} : nonEmpty('status', recordableText(status, redact))),
  }
}

function nonEmpty<Name extends string>(
  name: Name,
  text: string,
): { readonly [_ in Name]?: string } {
  const fields: { [_ in Name]?: string } = {}
  if (text !== '') fields[name] = text.slice(0, MAX_NAME)
  return fields
}

function summed(steps: readonly PlanStep[]): PlanStep {
  const open = steps.filter(({ status }) => status !== 'done').length
  const title = `${steps.length} steps, ${open} of them open`
  return open === 0 ? { title, status: 'done' } : { title }
}

/** At most 16 KiB long. */
export function recordableText(text: unknown, redact: Redact): string {
  return formatRecorded(redact(text))
}

/** `stop_reason` absent: there is no reason. */
export function recordableReason(
  reason: string | undefined,
  redact: Redact,
): { readonly stop_reason?: string } {
  const text = reason === undefined ? '' : recordableText(reason, redact).slice(0, MAX_NAME)
  return text === '' ? {} : { stop_reason: text }
}

function formatRecorded(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
