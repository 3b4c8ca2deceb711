import { getOwn, type JsonObject, pointerTo } from '../../model/json.ts'
import type { RuleBase } from '../../model/rule.ts'
import { lastSuccess, type SessionState } from '../../model/state.ts'
import { compareNames, type Judgment } from '../base/judgment.ts'
import { error, place } from '../base/place.ts'
import { namesIn, type Step, step } from '../base/policy-reason.ts'
import { list, names, text } from '../base/rule-words.ts'
import { allow, denyUntilMet, type Finding } from './finding.ts'
import { type Call, createPolicy, type Policy } from './policy.ts'
import {
  compareRest,
  dropMemory,
  noApproval,
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
  /** Tools whose success makes an earlier success of a prerequisite outdated. Absent: a success stays valid. */
  readonly after?: readonly string[]
}

export function sequentialDependency(document: SequentialDependencyDocument): Policy {
  const after = [...new Set(document.after)].sort()
  const orders = new Map(
    Object.entries(document.dependencies)
      .filter(([, needed]) => needed.length > 0)
      .map(([tool, needed]) => [tool, { needed: [...new Set(needed)].sort(), after }]),
  )
  return createPolicy({
    denies: [...orders.keys()],
    needsCall: false,
    check: (call, state) => check(orders.get(call.tool) ?? NOTHING, call, state),
    order: (tool, state) => {
      const order = orders.get(tool) ?? NOTHING
      const newest = findNewest(order.after, state)
      return { ...order, missing: order.needed.filter((name) => !isFresh(name, newest, state)) }
    },
  })
}

interface Order {
  /** Sorted by name. */
  readonly needed: readonly string[]
  readonly after: readonly string[]
}

const NOTHING: Order = { needed: [], after: [] }

/** Sequence number of the newest success among `tools`; 0: none. */
function findNewest(tools: readonly string[], state: SessionState): number {
  return Math.max(0, ...tools.map((tool) => lastSuccess(state, tool)))
}

function isFresh(tool: string, newest: number, state: SessionState): boolean {
  return lastSuccess(state, tool) > newest
}

function check(order: Order, call: Call, state: SessionState): Finding {
  const { needed, after } = order
  // Built by `map`, because a list that grows from empty reserves 17 places, once for every rule of every call.
  const seqs = needed.map((tool) => lastSuccess(state, tool))
  const missing = needed.filter((_, i) => seqs[i] === 0)
  const newest = findNewest(after, state)
  if (seqs.some((seq) => isOutdated(seq, newest)))
    return denyOutdated(order, { tool: call.tool, seqs, missing }, state)
  const because = missing.length === 0 ? seqs : seqs.filter((seq) => seq > 0)
  if (because.length > 1) because.sort((a, b) => a - b)
  if (missing.length === 0) return allow('sequential.satisfied', { needed }, because)
  const reason = `Tool '${call.tool}' requires: ${missing.join(', ')}`
  return denyUntilMet('sequential.missing', { tool: call.tool, missing }, { reason, because })
}

interface Successes {
  readonly tool: string
  /** Last success of each needed tool; 0: none. */
  readonly seqs: readonly number[]
  readonly missing: readonly string[]
}

function denyOutdated(
  { needed, after }: Order,
  { tool, seqs, missing }: Successes,
  state: SessionState,
): Finding {
  const newest = findNewest(after, state)
  const outdated = needed.filter((_, i) => isOutdated(seqs[i] ?? 0, newest))
  const oldest = Math.min(...seqs.filter((seq) => isOutdated(seq, newest)))
  const newer = after.filter((name) => lastSuccess(state, name) > oldest)
  const changes = newer.map((name) => lastSuccess(state, name))
  const because = [...seqs.filter((seq) => seq > 0), ...changes].sort((a, b) => a - b)
  const first = missing.length === 0 ? '' : `: ${missing.join(', ')}, and`
  const reason = `Tool '${tool}' requires${first} ${outdated.join(', ')} again after: ${newer.join(', ')}`
  const params = { tool, missing, outdated, newer }
  return denyUntilMet('sequential.outdated', params, { reason, because })
}

/** `seq`: sequence number of a success; 0: none. */
function isOutdated(seq: number, newest: number): boolean {
  return seq > 0 && seq <= newest
}

export const sequentialDependencyRule: PolicyRule<SequentialDependencyDocument> = {
  governs: ({ dependencies }) => Object.keys(dependencies),
  denies: ({ dependencies }) =>
    Object.entries(dependencies).flatMap(([tool, needed]) => (needed.length > 0 ? [tool] : [])),
  toolsNamed: (document, pointer) =>
    listPrerequisites(document, pointer).map((one) => ({ item: one.tool, pointer: one.pointer })),
  toolsWatched: ({ after = [] }, pointer) => place(after, pointerTo(pointer, 'after')),
  prerequisites: listPrerequisites,
  deniesAlways: () => false,
  seesCommands: false,
  approvalSeconds: noApproval,
  errors: ({ dependencies, after = [] }, pointer) => {
    const needed = new Set(Object.values(dependencies).flat())
    return place(after, pointerTo(pointer, 'after'))
      .filter(({ item }) => needed.has(item))
      .map(({ item, pointer: at }) =>
        error(
          at,
          'self_dependency',
          `A success of "${item}" would make itself outdated, so what requires it could never run. Remove it here or from the prerequisites.`,
        ),
      )
  },
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
    getOwn(document.dependencies, tool) ?? []
  return [
    ...[...tools].flatMap((tool) =>
      compareNames([own(before, tool), own(after, tool)], {
        pointer: pointerTo(pointer, tool),
        says: [`${name}: \`${tool}\` needs`, `${name}: \`${tool}\` no longer needs`],
      }),
    ),
    ...compareNames([before.after ?? [], after.after ?? []], {
      pointer: pointerTo(pair.pointer, 'after'),
      says: [
        `${name}: prerequisites must also be newer than`,
        `${name}: prerequisites may be older than`,
      ],
    }),
    ...compareRest(pair, ['dependencies', 'after', 'optional']),
  ]
}

function viewSequences(
  { id: rule, mode = 'enforce', dependencies, after = [] }: SequentialDependencyDocument,
  state: SessionState,
): readonly SequenceView[] {
  const newest = findNewest(after, state)
  return Object.entries(dependencies).map(([tool, needed]) => ({
    rule,
    mode,
    tool,
    needs: needed.map((name) => ({
      tool: name,
      seq: lastSuccess(state, name) || null,
      isOutdated: isOutdated(lastSuccess(state, name), newest),
    })),
  }))
}

function runMissing({ params }: { readonly params: JsonObject }): readonly Step[] {
  return namesIn(params['missing']).map((tool) =>
    step('agent', `Run \`${tool}\` until it succeeds`, tool),
  )
}

export const sequentialDependencyWords: PolicyWords<SequentialDependencyDocument> = {
  describe: ({ dependencies, after = [] }) => {
    const since = after.length === 0 ? 'first' : `since the last ${names(after, 'or')}`
    const each = Object.entries(dependencies).map(([tool, needed]) =>
      needed.length === 0
        ? `\`${tool}\` needs nothing first`
        : `\`${tool}\` needs ${names(needed)} ${since}`,
    )
    return each.join('; ') || 'No tool has a prerequisite'
  },
  sentences: {
    'sequential.satisfied': (p) => `${list(p['needed'])} succeeded before it`,
    'sequential.missing': (p) => `${text(p['tool'])} needs ${list(p['missing'])} first`,
    'sequential.outdated': (p) => {
      const first = namesIn(p['missing']).length === 0 ? '' : `${list(p['missing'])} first, and `
      return `${text(p['tool'])} needs ${first}${list(p['outdated'])} again after ${list(p['newer'])}`
    },
  },
  reasons: {
    'sequential.satisfied': { basis: 'tools' },
    'sequential.missing': { basis: 'missing_tools', steps: runMissing },
    'sequential.outdated': {
      basis: 'missing_tools',
      steps: ({ params }) => [
        ...runMissing({ params }),
        ...namesIn(params['outdated']).map((tool) =>
          step('agent', `Run \`${tool}\` again until it succeeds`, tool),
        ),
      ],
    },
  },
}
