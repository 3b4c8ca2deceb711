import { policyRule } from '../kinds/policies.ts'
import type { PlacedRule } from './pattern.ts'

/** Tools whose calls a proposed policy can deny. Empty: the rule is no policy. */
export function listGoverned({ pointer, rule }: PlacedRule): readonly string[] {
  if (pointer !== '/policies/-') return []
  const denied = policyRule(rule).denies(rule)
  return denied === 'every' ? [] : denied
}
