import { type CompiledConfig, compileConfig } from '../engine/compile.ts'
import { step } from '../engine/step.ts'
import { type AtomReader, atomReader } from '../expression/condition-atoms.ts'
import { celExpressions } from '../expression/index.ts'
import { withoutRule } from '../kinds/edit-document.ts'
import { placeDocument } from '../kinds/placed.ts'
import { listToolPlaces } from '../lint/named-tools.ts'
import type { ToolDecision } from '../model/effect.ts'
import type { SessionEvent } from '../model/event.ts'
import { isJsonObject, type JsonObject } from '../model/json.ts'
import { initialState, lastSuccess, type SessionState } from '../model/state.ts'
import { countMost, findTrap } from './loops.ts'
import { findDecision, isPassed, toEvents } from './moves.ts'
import {
  countsDenials,
  type Focus,
  type Observed,
  OTHER_TOOL,
  observe,
  WHERE_VARIABLES,
} from './observe.ts'
import type { Answer, Assumed, Question } from './question.ts'
import { type Representer, representer } from './representatives.ts'
import { type CallDecided, type Found, listMoves, Search, type StopDecided } from './search.ts'

export interface ProveOptions {
  /** Calls that are under way at a time, 0 to 3. Absent: 2. */
  readonly underWay?: number
  /** Kinds of states that one search may look at. Absent: 200,000. */
  readonly mostStates?: number
  /** Called now and then; true ends the search, and the answer is unknown. Absent: never. */
  readonly isAborted?: () => boolean
}

export const MOST_UNDER_WAY = 3
const UNDER_WAY = 2
const MOST_STATES = 200_000
/** A trace is found among the first states, or takes more than this search can do. */
const QUICK_STATES = 10_000
/** Rules of a `never` that are left out one by one. */
const MOST_LEFT_OUT = 24

/** Remembers conditions and their arguments from search to search. */
interface Memory {
  readonly readAtoms: AtomReader
  readonly represent: Representer
}

export interface Limits extends Memory {
  readonly underWay: number
  readonly mostStates: number
  readonly isAborted: () => boolean
}

const createMemory = (): Memory => ({ readAtoms: atomReader(), represent: representer() })

export function setLimits(
  { underWay = UNDER_WAY, mostStates = MOST_STATES, isAborted = () => false }: ProveOptions,
  memory: Memory = createMemory(),
): Limits {
  return {
    underWay: Math.min(MOST_UNDER_WAY, Math.max(0, underWay)),
    mostStates,
    isAborted,
    ...memory,
  }
}

const memories = new WeakMap<CompiledConfig, Memory>()

/** The next question about a config, such as another claim, begins with what the ones before found. */
function findMemory(config: CompiledConfig): Memory {
  const memory = memories.get(config) ?? createMemory()
  memories.set(config, memory)
  return memory
}

/** Searches every run that the config allows, up to the limits that the answer states. Never throws on a compiled config. */
export function prove(
  config: CompiledConfig,
  question: Question,
  options: ProveOptions = {},
): Answer {
  return answer(config, question, setLimits(options, findMemory(config)))
}

/** Several questions about one config share what their limits remember. */
export function answer(config: CompiledConfig, question: Question, limits: Limits): Answer {
  switch (question.ask) {
    case 'run_without':
      return proveCall(config, limits, askWithout(question))
    case 'run_where':
      return proveCall(config, limits, askWhere(question))
    case 'stop_without':
      return proveStop(config, limits, question)
    case 'trapped':
      return proveTrapped(config, limits)
    case 'decisive':
      return proveDecisive(config, limits, question.rule)
    case 'allows_more':
      return proveAllowsMore(config, limits, question.than)
    case 'most_calls':
      return proveMost(config, limits, question.tool)
    default:
      return question satisfies never
  }
}

export interface Asked {
  readonly focus: Focus
  readonly isHit: (decided: CallDecided | StopDecided) => boolean
  /** Tools whose calls can be hits; null: every tool. */
  readonly targets: readonly string[] | null
  /** Tools that must not succeed early, because the question is about their success. Absent: none. */
  readonly notEager?: readonly string[]
  readonly doubts?: readonly string[]
}

function isStale(state: SessionState, tool: string, after: readonly string[]): boolean {
  const own = lastSuccess(state, tool)
  return own === 0 || after.some((other) => lastSuccess(state, other) > own)
}

function listPairs(needs: string, after: readonly string[]): NonNullable<Focus['pairs']> {
  return after.length === 0 ? [[needs, null]] : after.map((other) => [needs, other] as const)
}

function isAllowedCall(decided: CallDecided | StopDecided, tool: string): decided is CallDecided {
  return (
    decided.kind === 'call' && decided.tool === tool && decided.decisions[0]?.decision === 'allowed'
  )
}

export function askWithout({
  tool,
  needs,
  after = [],
}: Extract<Question, { ask: 'run_without' }>): Asked {
  return {
    focus: { tools: [tool], pairs: listPairs(needs, after), stops: false, isLean: true },
    targets: [tool],
    notEager: [tool, needs],
    isHit: (decided) =>
      isAllowedCall(decided, tool) &&
      decided.lanes[0] !== undefined &&
      isStale(decided.lanes[0], needs, after),
  }
}

function askWhere({ tool, when }: Extract<Question, { ask: 'run_where' }>): Asked {
  const compiled = celExpressions().compile(when, WHERE_VARIABLES)
  const holds = (args: JsonObject): boolean => {
    try {
      return compiled.ok && compiled.program.evaluate({ args }) === true
    } catch {
      return false
    }
  }
  return {
    focus: { tools: [tool], where: { tool, source: when }, stops: false, isLean: true },
    targets: [tool],
    notEager: [tool],
    doubts: compiled.ok ? [] : [`\`${when}\` cannot be read as a condition on \`args\``],
    isHit: (decided) => isAllowedCall(decided, tool) && holds(decided.args),
  }
}

export interface Run {
  readonly found: Found
  readonly observed: Observed
}

export function search(
  configs: readonly CompiledConfig[],
  limits: Limits,
  asked: Asked & { readonly onlySuccess?: boolean; readonly keepsEdges?: boolean },
): Run {
  const { focus, targets, notEager, isHit, onlySuccess = false, keepsEdges = false } = asked
  const observed = observe(configs, focus, limits.readAtoms)
  const direct = { stops: false, isLean: false, isDirect: true }
  const found = new Search({
    configs,
    observed,
    observeTool: (tool) => observe(configs, { ...direct, tools: [tool] }, limits.readAtoms),
    underWay: onlySuccess ? 0 : limits.underWay,
    stops: focus.stops,
    keepsEdges,
    onlySuccess,
    targets: targets === null ? null : new Set(targets),
    eager: focus.isLean ? listEager(configs, observed, notEager) : new Set(),
    readsInput: focus.where !== undefined || configs.length > 1,
    mostStates: limits.mostStates,
    represent: limits.represent,
    isAborted: limits.isAborted,
    isHit,
  }).run()
  return { found, observed }
}

/** Tools whose success makes nothing outdated, is not counted, and uses up nothing. None where a denial can help. */
function listEager(
  configs: readonly CompiledConfig[],
  observed: Observed,
  notEager: readonly string[] = [],
): ReadonlySet<string> {
  if (countsDenials(observed)) return new Set()
  const { tools, pairs, counts, lasts } = observed
  const harmful = new Set([
    ...notEager,
    ...[...pairs.values()].map(([, other]) => other),
    ...[...counts.values()].map(({ tool }) => tool),
    ...lasts,
  ])
  for (const tool of tools)
    for (const config of configs) {
      const { policies, rates, reads } = config.rulesFor(tool)
      const isPlain = policies.every(
        ({ type }) => type === 'sequential_dependency' || type === 'expression',
      )
      if (!isPlain || rates.length > 0 || reads.length > 0) harmful.add(tool)
    }
  return new Set([...tools].filter((tool) => !harmful.has(tool)))
}

function assume(
  { underWay }: Limits,
  { session, rates, isReviewed, isInspected }: Observed,
): Assumed {
  return {
    underWay,
    also: [
      ...(rates.length > 0 ? ['the time of a rate limit passes as a whole'] : []),
      ...(isReviewed ? ['reviewers approve'] : []),
      ...(isInspected ? ['content rules find nothing in arguments'] : []),
      ...(session.has('remaining_seconds') ? ['the session has a deadline, or none'] : []),
    ],
  }
}

function listDoubts({ found, observed }: Run): readonly string[] {
  return [...new Set([...observed.doubts.map(({ why }) => why), ...found.doubts])]
}

export function conclude(run: Run, limits: Limits, doubts: readonly string[] = []): Answer {
  const { found, observed } = run
  const measured = { assumed: assume(limits, observed), states: found.nodes.length }
  if (found.moves !== null) return { answer: 'trace', events: toEvents(found.moves), ...measured }
  const because = [...(found.cut === null ? [] : [found.cut]), ...listDoubts(run), ...doubts]
  if (because.length > 0) return { answer: 'unknown', because, ...measured }
  return { answer: 'never', restsOn: null, ...measured }
}

function proveCall(config: CompiledConfig, limits: Limits, asked: Asked): Answer {
  const first = askCall(config, limits, asked)
  if (first.answer === 'trace')
    return { ...first, events: shorten(config, first.events, asked.isHit) }
  if (first.answer !== 'never') return first
  return { ...first, restsOn: findSupport(config, limits, asked) }
}

/** Cheap searches first: a trace without failures, then a proof by fewer rules, which allow more runs. */
function askCall(config: CompiledConfig, limits: Limits, asked: Asked): Answer {
  const few = { ...limits, mostStates: Math.min(QUICK_STATES, limits.mostStates) }
  const quick = search([config], few, { ...asked, onlySuccess: true })
  if (quick.found.moves !== null) return conclude(quick, limits)
  const fewer = withoutRules(config, listLeftOut(config, quick.observed))
  if (fewer !== config) {
    const answer = conclude(search([fewer], limits, asked), limits, asked.doubts)
    if (answer.answer === 'never') return answer
  }
  return conclude(search([config], limits, asked), limits, asked.doubts)
}

/**
 * Rules that a proof can do without: those that the search cannot tell exactly, and those that look at counts and times. An approval
 * stays: the time between its question and its answer allows runs. Empty where a condition that stays counts calls.
 */
function listLeftOut(config: CompiledConfig, observed: Observed): readonly string[] {
  const doubted = new Set(observed.doubts.flatMap(({ rule }) => rule ?? []))
  const placed = placeDocument(config.document).policies
  const isCounting = ({ item }: (typeof placed)[number]): boolean =>
    item.type === 'approval' && /\b(calls|session)\b/.test(JSON.stringify(item))
  if (placed.some(isCounting)) return []
  return placed.flatMap(({ item }) => {
    if (!observed.rules.has(item.id) || item.type === 'approval') return []
    const isOrder = item.type === 'sequential_dependency'
    const isCondition =
      item.type === 'expression' && !/\b(calls|session)\b/.test(JSON.stringify(item))
    return (isOrder || isCondition) && !doubted.has(item.id) ? [] : [item.id]
  })
}

function withoutRules(config: CompiledConfig, rules: readonly string[]): CompiledConfig {
  if (rules.length === 0) return config
  const document = rules.reduce((left, rule) => withoutRule(left, rule), config.document)
  const result = compileConfig(document, config.options)
  return result.ok ? result.config : config
}

/** Leaves each rule out in turn, and keeps it out while the answer stays `never`. */
function findSupport(
  config: CompiledConfig,
  limits: Limits,
  asked: Asked,
): readonly string[] | null {
  const { rules } = observe([config], asked.focus, limits.readAtoms)
  const reviewing = new Set(
    placeDocument(config.document).policies.flatMap(({ item }) =>
      item.type === 'approval' ? [item.id] : [],
    ),
  )
  const tried = [...rules].filter((rule) => !reviewing.has(rule))
  if (tried.length > MOST_LEFT_OUT) return null
  let left = config
  const needed: string[] = []
  for (const rule of tried) {
    const without = withoutRules(left, [rule])
    if (askCall(without, limits, asked).answer === 'never') left = without
    else needed.push(rule)
  }
  return needed
}

/** Leaves out calls that the last decision does not need; the engine decides each shorter session again, in which a call still ends as it was decided. */
function shorten(
  config: CompiledConfig,
  events: readonly SessionEvent[],
  isHit: Asked['isHit'],
): readonly SessionEvent[] {
  const ids = [...new Set(events.map(findCallId))].filter((id) => id !== null)
  let best = events
  for (const id of ids.reverse()) {
    const less = renumber(best.filter((event) => findCallId(event) !== id))
    if (endsWithHit(config, less, isHit)) best = less
  }
  return best
}

/** null: the event is about no call. */
function findCallId({ data }: SessionEvent): string | null {
  return 'call_id' in data && typeof data.call_id === 'string' ? data.call_id : null
}

function renumber(events: readonly SessionEvent[]): readonly SessionEvent[] {
  return events.map((event, i) => ({ ...event, seq: i + 1 }))
}

function endsWithHit(
  config: CompiledConfig,
  events: readonly SessionEvent[],
  isHit: Asked['isHit'],
): boolean {
  const allowed = new Map<string, boolean>()
  let state = initialState(config.promptName)
  let before = state
  let decision: ToolDecision | null = null
  for (const event of events) {
    if (event.type === 'tool.invoked') {
      const { call_id, outcome } = event.data
      if (allowed.get(call_id) !== (outcome !== 'denied')) return false
    }
    before = state
    const result = step(config, before, event)
    state = result.state
    decision = findDecision(result.effects)
    if (decision !== null) allowed.set(decision.call_id, decision.decision === 'allowed')
  }
  const last = decision
  // The request is the first event of a call.
  const request = events.find((event) => findCallId(event) === last?.call_id)
  if (last === null || request?.type !== 'tool.requested') return false
  const { tool, args } = request.data
  return (
    isJsonObject(args) &&
    isHit({ kind: 'call', tool, args, lanes: [before], decisions: [last], asking: [] })
  )
}

function proveStop(
  config: CompiledConfig,
  limits: Limits,
  { needs, after = [] }: Extract<Question, { ask: 'stop_without' }>,
): Answer {
  const run = search([config], limits, {
    focus: { tools: [], pairs: listPairs(needs, after), stops: true, isLean: false },
    targets: [],
    isHit: (decided) =>
      decided.kind === 'stop' &&
      isPassed(decided.verdicts[0]) &&
      decided.lanes[0] !== undefined &&
      isStale(decided.lanes[0], needs, after),
  })
  return conclude(run, limits, listStopDoubts(run))
}

function listStopDoubts({ observed }: Run): readonly string[] {
  return observed.readsStop ? ['a check reads facts of the stop, which are not varied'] : []
}

const NO_HIT = (): boolean => false

/** Every tool that the configs name, and one that they do not. */
function listGoverned(configs: readonly CompiledConfig[]): readonly string[] {
  const named = configs.flatMap(({ document, canonicalTool }) =>
    listToolPlaces(document).map(({ item }) => canonicalTool(item)),
  )
  return [...new Set(named), OTHER_TOOL]
}

/** Every transition, with one call at a time: calls that are under way end, and neither trap an agent nor add runs. */
function walk(
  config: CompiledConfig,
  limits: Limits,
  { tools, stops }: Pick<Focus, 'tools' | 'stops'>,
): Run & { readonly alone: Limits } {
  const alone = { ...limits, underWay: 0 }
  const focus = { tools, stops, isLean: false }
  const asked = { focus, targets: [], isHit: NO_HIT, keepsEdges: true }
  return { ...search([config], alone, asked), alone }
}

/** A state is a trap only if every way out of it was tried. */
function proveTrapped(config: CompiledConfig, limits: Limits): Answer {
  const { alone, ...run } = walk(config, limits, { tools: [], stops: true })
  const answered = conclude(run, alone, listStopDoubts(run))
  const { nodes, edges } = run.found
  const trap = nodes[findTrap(nodes.length, edges) ?? -1]
  if (answered.answer !== 'never' || trap === undefined) return answered
  return conclude({ ...run, found: { ...run.found, moves: listMoves(trap) } }, alone)
}

function proveDecisive(config: CompiledConfig, limits: Limits, rule: string): Answer {
  const tools = listGoverned([config]).filter((tool) =>
    config.rulesFor(tool).policies.some(({ id }) => id === rule),
  )
  const few = { ...limits, underWay: Math.min(1, limits.underWay) }
  const run = search([config], few, {
    focus: { tools, stops: false, isLean: false },
    targets: tools,
    isHit: (decided) => {
      if (decided.kind !== 'call') return false
      const { asking } = decided
      if (asking.length > 0) return asking.length === 1 && asking[0] === rule
      const against = (decided.decisions[0]?.rules ?? []).filter(
        ({ mode, result }) => mode === 'enforce' && result !== 'allow',
      )
      return against.length === 1 && against[0]?.rule === rule
    },
  })
  return conclude(run, few)
}

function proveAllowsMore(config: CompiledConfig, limits: Limits, than: CompiledConfig): Answer {
  const tools = listGoverned([config, than])
  const run = search(
    [config, than],
    { ...limits, underWay: 0 },
    {
      focus: { tools, stops: false, isLean: false },
      targets: null,
      isHit: (decided) => {
        if (decided.kind !== 'call') return false
        const [ours, theirs] = decided.decisions
        const isRefused = theirs?.decision === 'denied' || theirs?.decision === 'error'
        return isRefused && (ours === null || ours?.decision === 'allowed')
      },
    },
  )
  return conclude(run, { ...limits, underWay: 0 })
}

function proveMost(config: CompiledConfig, limits: Limits, tool: string): Answer {
  const { alone, ...run } = walk(config, limits, { tools: [tool], stops: false })
  const answered = conclude(run, alone)
  if (answered.answer !== 'never') return answered
  const { assumed, states } = answered
  const calls = countMost(run.found.nodes.length, run.found.edges, tool)
  return calls === null
    ? { answer: 'unbounded', assumed, states }
    : { answer: 'most', calls, assumed, states }
}
