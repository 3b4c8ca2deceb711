import { pointerTo } from '../../model/json.ts'
import { getIn } from '../../model/persistent-map.ts'
import type { RuleBase } from '../../model/rule.ts'
import type { SessionState } from '../../model/state.ts'
import { compareNames, type Judgment } from '../base/judgment.ts'
import { namesIn, step } from '../base/policy-reason.ts'
import { list, names, type RuleForm, text } from '../base/rule-words.ts'
import { allow, denyUntilMet, type Finding } from './finding.ts'
import { type Call, createPolicy, type Policy } from './policy.ts'
import {
  compareRest,
  dropMemory,
  noApproval,
  none,
  type Pair,
  type PolicyRule,
  type PolicyWords,
  type Prerequisite,
  type SequenceView,
} from './policy-rule.ts'

/** Before `tool` may run, each tool in `dependencies[tool]` must have succeeded in the session. Not transitive. */
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
  return createPolicy({
    denies: [...prerequisites.keys()],
    needsCall: false,
    check: (call, state) => check(prerequisites.get(call.tool) ?? NOTHING, call, state),
    missing: (tool, state) =>
      (prerequisites.get(tool) ?? NOTHING).needed.filter(
        (needed) => lastSuccess(needed, state) === null,
      ),
  })
}

/** Also the parameters of the result for every allowed call. */
type Prerequisites = { readonly needed: readonly string[] }

const NOTHING: Prerequisites = { needed: [] }

/** Sequence number of the tool's last success; null: none yet. */
function lastSuccess(tool: string, state: SessionState): number | null {
  return getIn(state.tallies, tool)?.successSeq ?? null
}

function check(prerequisites: Prerequisites, call: Call, state: SessionState): Finding {
  const { needed } = prerequisites
  // Built by `map`, because a list that grows from empty reserves 17 places, once for every rule of every call.
  const seqs = needed.map((tool) => lastSuccess(tool, state) ?? 0)
  const missing = needed.filter((_, i) => seqs[i] === 0)
  const because = missing.length === 0 ? seqs : seqs.filter((seq) => seq > 0)
  if (because.length > 1) because.sort((a, b) => a - b)
  if (missing.length === 0) return allow('sequential.satisfied', prerequisites, because)
  const reason = `Tool '${call.tool}' requires: ${missing.join(', ')}`
  return denyUntilMet('sequential.missing', { tool: call.tool, missing }, { reason, because })
}

export const sequentialDependencyRule: PolicyRule<SequentialDependencyDocument> = {
  governs: ({ dependencies }) => Object.keys(dependencies),
  denies: ({ dependencies }) =>
    Object.entries(dependencies).flatMap(([tool, needed]) => (needed.length > 0 ? [tool] : [])),
  toolsNamed: (document, pointer) =>
    listPrerequisites(document, pointer).map((one) => ({ item: one.tool, pointer: one.pointer })),
  prerequisites: listPrerequisites,
  deniesAlways: () => false,
  seesCommands: false,
  approvalSeconds: noApproval,
  errors: none,
  compare: compareDependencies,
  carryOver: dropMemory,
  needsToolOnly: true,
  view: (document, state) => ({ sequences: viewSequences(document, state), rates: [] }),
}

function listPrerequisites(
  { dependencies }: SequentialDependencyDocument,
  pointer: string,
): readonly Prerequisite[] {
  const base = pointerTo(pointer, 'dependencies')
  return Object.entries(dependencies).map(([tool, needed]) => ({
    tool,
    needed,
    pointer: pointerTo(base, tool),
  }))
}

function compareDependencies(pair: Pair<SequentialDependencyDocument>): readonly Judgment[] {
  const { before, after, name } = pair
  const pointer = pointerTo(pair.pointer, 'dependencies')
  const tools = new Set([...Object.keys(before.dependencies), ...Object.keys(after.dependencies)])
  const own = (document: SequentialDependencyDocument, tool: string) =>
    Object.hasOwn(document.dependencies, tool) ? (document.dependencies[tool] ?? []) : []
  return [
    ...[...tools].flatMap((tool) =>
      compareNames([own(before, tool), own(after, tool)], {
        pointer: pointerTo(pointer, tool),
        says: [`${name}: \`${tool}\` needs`, `${name}: \`${tool}\` no longer needs`],
      }),
    ),
    ...compareRest(pair, ['dependencies', 'optional']),
  ]
}

function viewSequences(
  { id: rule, mode = 'enforce', dependencies }: SequentialDependencyDocument,
  state: SessionState,
): readonly SequenceView[] {
  return Object.entries(dependencies).map(([tool, needed]) => ({
    rule,
    mode,
    tool,
    needs: needed.map((name) => ({
      tool: name,
      seq: lastSuccess(name, state),
    })),
  }))
}

export const sequentialDependencyWords: PolicyWords<SequentialDependencyDocument> = {
  describe: ({ dependencies }) =>
    Object.entries(dependencies)
      .map(([tool, needed]) =>
        needed.length === 0
          ? `\`${tool}\` needs nothing first`
          : `\`${tool}\` needs ${names(needed)} first`,
      )
      .join('; ') || 'No tool has a prerequisite',
  sentences: {
    'sequential.satisfied': (p) => `${list(p['needed'])} succeeded before it`,
    'sequential.missing': (p) => `${text(p['tool'])} needs ${list(p['missing'])} first`,
  },
  reasons: {
    'sequential.satisfied': { basis: 'tools' },
    'sequential.missing': {
      basis: 'missing_tools',
      steps: ({ params }) =>
        namesIn(params['missing']).map((tool) =>
          step('agent', `Run \`${tool}\` until it succeeds`, tool),
        ),
    },
  },
}

export const sequentialDependencyForm: RuleForm<SequentialDependencyDocument> = {
  label: 'Sequential dependency',
  about: 'Denies a call until the tools that must come first have succeeded.',
  sample: { id: 'order', type: 'sequential_dependency', dependencies: {} },
  fields: [{ control: 'prerequisites', field: 'dependencies' }],
}
