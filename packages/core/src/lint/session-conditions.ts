// Conditions that hold for a whole session: without tools to limit them, they deny every call or none.

import { type PlacedPolicy, warning } from '../kinds/placed.ts'
import { conditionOf } from '../kinds/policies/expression.ts'
import { isKnownPolicy } from '../kinds/policies.ts'
import { pointerTo } from '../model/json.ts'
import type { Problem } from '../model/problem.ts'

/** A section's own rule is limited to the tools of the section. */
export function sessionConditionAdvice({
  item,
  pointer,
  section,
}: PlacedPolicy): readonly Problem[] {
  if (!isKnownPolicy(item) || item.type !== 'expression') return []
  if (section !== null || item.tools !== undefined || (item.mode ?? 'enforce') !== 'enforce') {
    return []
  }
  const { source, mustHold } = conditionOf(item)
  if (!readsOnlySession(source)) return []
  const message = `This condition reads only session, so ${mustHold ? 'while it does not hold' : 'once it holds'} every call of every tool is denied. Limit the rule with tools, read tool or args, or try it with mode "shadow".`
  return [
    warning(pointerTo(pointer, mustHold ? 'require' : 'deny_when'), 'denies_every_tool', message),
  ]
}

const STRINGS_AND_COMMENTS =
  /\/\/[^\n]*|"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g

/** Names that are not fields of another value. */
const VARIABLES = /(?<![.\w]\s*)\b(?:tool|args|calls|session)\b/g

function readsOnlySession(source: string): boolean {
  const names = source.replaceAll(STRINGS_AND_COMMENTS, '').match(VARIABLES) ?? []
  return names.length > 0 && names.every((name) => name === 'session')
}
