import { reasonWords } from '@signalbox/core/analysis'

const PASSED = new Map([
  ['composite.all_passed', 'All checks passed'],
  ['composite.child_passed', 'One of the alternatives passed'],
  ['expression.holds', 'A condition is met'],
  ['files.all_exist', 'The required files exist'],
  ['judge.passed', 'The judge found it complete'],
  ['plan.done', 'Plan steps are done'],
  ['plan.none', 'There was no plan to check'],
  ['tool.succeeded', 'A required tool succeeded'],
])

/** Name of a group of stops, without the figures of one of them. */
export function nameGroup({
  verdict,
  code,
}: {
  readonly verdict: string
  readonly code: string
}): string {
  return verdict === 'allowed' ? (PASSED.get(code) ?? 'The checks passed') : reasonWords(code)
}
