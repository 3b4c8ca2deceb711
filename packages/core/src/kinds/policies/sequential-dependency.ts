// sequential_dependency: a tool may run only after each of its prerequisites has succeeded in this session.

import { getIn } from '../../model/persistent-map.ts'
import type { RuleBase } from '../../model/rule.ts'
import type { SessionState } from '../../model/state.ts'
import { allow, askFirst, type Finding } from './finding.ts'
import { type Call, type Policy, policyOf } from './policy.ts'

/** `dependencies[tool]` must each have succeeded in the session before `tool` may run. Not transitive. */
export interface SequentialDependencyDocument extends RuleBase {
  readonly type: 'sequential_dependency'
  readonly dependencies: { readonly [tool: string]: readonly string[] }
}

export function sequentialDependency(document: SequentialDependencyDocument): Policy {
  const prerequisites = new Map(
    Object.entries(document.dependencies)
      .filter(([, needed]) => needed.length > 0)
      .map(([tool, needed]) => [tool, { needed: [...new Set(needed)].sort() }]),
  )
  return policyOf({
    denies: [...prerequisites.keys()],
    needsCall: false,
    check: (call, state) => check(prerequisites.get(call.tool) ?? NOTHING, call, state),
  })
}

/** Also the parameters of every call that is allowed. */
type Prerequisites = { readonly needed: readonly string[] }

const NOTHING: Prerequisites = { needed: [] }

function check(prerequisites: Prerequisites, call: Call, state: SessionState): Finding {
  const missing: string[] = []
  const because: number[] = []
  for (const tool of prerequisites.needed) {
    const seq = getIn(state.tallies, tool)?.successSeq ?? null
    if (seq === null) missing.push(tool)
    else because.push(seq)
  }
  if (because.length > 1) because.sort((a, b) => a - b)
  if (missing.length === 0) return allow('sequential.satisfied', prerequisites, because)
  const reason = `Tool '${call.tool}' requires: ${missing.join(', ')}`
  return askFirst('sequential.missing', { tool: call.tool, missing }, { reason, because })
}
