// Policies are a conjunction, so a rule that is added only adds its own denials: folded alone, over the events at which it looks, it gives
// the answer of a backtest of the whole config.
import { isHidden } from '../analysis/backtest/backtest-session.ts'
import { rulesWithoutFacts } from '../analysis/backtest/fidelity.ts'
import { type CompiledConfig, compileConfig } from '../engine/compile.ts'
import { step } from '../engine/step.ts'
import { listLeaves } from '../kinds/checkers/checker.ts'
import { placeDocument } from '../kinds/placed.ts'
import { policyRule } from '../kinds/policies.ts'
import { listToolPlaces } from '../lint/named-tools.ts'
import type { Effect } from '../model/effect.ts'
import type { SessionEvent } from '../model/event.ts'
import { initialState, type SessionState } from '../model/state.ts'
import { type Edit, leaveAlone } from './edit.ts'
import type { ReadSession } from './session-rows.ts'

/** `every`: the rule reads counts of all calls. */
export type ToolsRead = ReadonlySet<string> | 'every'

export interface RuleAlone {
  readonly config: CompiledConfig
  /** With the approvals of the document, for sessions in which a reviewer was asked. */
  readonly withApprovals: CompiledConfig
  readonly tools: ToolsRead
  /** False: it looks at nothing that a log can lack. */
  readonly needsFacts: boolean
}

/** null: the rule does not compile alone. */
export function compileAlone(
  before: CompiledConfig,
  edit: Edit,
  tools?: ToolsRead,
): RuleAlone | null {
  const { document, options } = before
  const approvals = placeDocument(document).policies.flatMap(({ item }) =>
    item.type === 'approval' && (item.mode ?? 'enforce') === 'enforce' ? [item] : [],
  )
  const config = compileConfig(leaveAlone(document, edit, []), options)
  const ids = approvals.map(({ id }) => id)
  const asking = compileConfig(leaveAlone(document, edit, ids), options)
  if (!config.ok || !asking.ok) return null
  const isCounting = approvals.some(isReadingCounts)
  return {
    config: config.config,
    withApprovals: asking.config,
    tools: isCounting ? 'every' : (tools ?? listToolsRead(config.config)),
    needsFacts: needsFacts(config.config),
  }
}

function isReadingCounts(rule: object): boolean {
  return /\b(calls|session)\b/.test(JSON.stringify(rule))
}

function listToolsRead({ document, canonicalTool }: CompiledConfig): ToolsRead {
  const { policies, content, checkers } = placeDocument(document)
  const rules = [...policies, ...content, ...checkers].map(({ item }) => item)
  const governsEvery =
    policies.some(({ item }) => policyRule(item).denies(item) === 'every') ||
    content.some(({ item }) => item.tools === undefined)
  if (governsEvery || rules.some(isReadingCounts)) return 'every'
  return new Set(listToolPlaces(document).map(({ item }) => canonicalTool(item)))
}

const WITHOUT_FACTS = ['sequential_dependency', 'expression', 'rate_limit', 'approval']

function needsFacts({ document, content, checker }: CompiledConfig): boolean {
  const { policies } = placeDocument(document)
  return (
    content.length > 0 ||
    policies.some(({ item }) => !WITHOUT_FACTS.includes(item.type)) ||
    (checker !== null &&
      listLeaves(checker).some(({ files, external }) => external || files.length > 0))
  )
}

/** `cannot_replay`: the log does not contain what decides it. */
export type AloneAnswer = 'refused' | 'kept' | 'cannot_replay'

/** The rule's answer about the calls that were allowed, and the stops that passed. */
export function foldAlone(
  { config: bare, withApprovals, tools, needsFacts: mayLack }: RuleAlone,
  {
    events,
    refused,
    unchecked,
    waited,
  }: Pick<ReadSession, 'events' | 'refused' | 'unchecked' | 'waited'>,
): AloneAnswer {
  const config = waited.size > 0 ? withApprovals : bare
  const isAboutStops = config.checker !== null
  let state = initialState(config.promptName)
  let answer: AloneAnswer = 'kept'
  for (const event of events) {
    if (!isRead(event, { tools, refused, unchecked, isAboutStops }, config)) continue
    const isMissing = mayLack && rulesWithoutFacts(config, state, event).length > 0
    // A backtest leaves a policy out from here on, and compares the next stop again.
    if (isMissing && !isAboutStops) return 'cannot_replay'
    const next = stepAlone(config, state, { event, isMissing })
    state = next.state
    if (!next.isRefused) continue
    if (!isMissing && !isHidden(event)) return 'refused'
    answer = 'cannot_replay'
  }
  return answer
}

/** It is not known that a stop without its facts was blocked, so it does not count as blocked. */
function stepAlone(
  config: CompiledConfig,
  before: SessionState,
  { event, isMissing }: { readonly event: SessionEvent; readonly isMissing: boolean },
): { readonly state: SessionState; readonly isRefused: boolean } {
  const { state, effects } = step(config, before, event)
  const isRefused = effects.some(isRefusal)
  return { state: isMissing && isRefused ? { ...state, stops: before.stops } : state, isRefused }
}

function isRefusal(effect: Effect): boolean {
  return (
    (effect.kind === 'tool.decided' && effect.data.decision !== 'allowed') ||
    (effect.kind === 'stop.decided' && effect.data.message !== null)
  )
}

/** Calls about which an approval would have asked. */
export function countAsked(
  { config, tools }: RuleAlone,
  { events, refused, unchecked }: Pick<ReadSession, 'events' | 'refused' | 'unchecked'>,
): number {
  let state = initialState(config.promptName)
  let asked = 0
  for (const event of events) {
    if (!isRead(event, { tools, refused, unchecked, isAboutStops: false }, config)) continue
    const next = step(config, state, event)
    state = next.state
    if (next.effects.some(({ kind }) => kind === 'approval.requested')) asked += 1
  }
  return asked
}

interface Reading extends Pick<ReadSession, 'refused' | 'unchecked'> {
  readonly tools: ToolsRead
  readonly isAboutStops: boolean
}

/** A call that was refused counts only as such. */
function isRead(
  event: SessionEvent,
  { tools, refused, unchecked, isAboutStops }: Reading,
  config: CompiledConfig,
): boolean {
  switch (event.type) {
    case 'tool.requested':
      if (refused.has(event.data.call_id)) return false
      return tools === 'every' || tools.has(config.canonicalTool(event.data.tool))
    case 'tool.invoked':
      return tools === 'every' || tools.has(config.canonicalTool(event.data.tool))
    case 'stop.attempted':
      return isAboutStops && !unchecked.has(event.seq)
    case 'plan.updated':
    case 'usage.recorded':
    case 'prompt.rendered':
      return tools === 'every' || isAboutStops
    default:
      return true
  }
}
