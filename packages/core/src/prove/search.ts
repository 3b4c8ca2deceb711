// Breadth-first search over real session states. `step` is the transition function, so a trace replays by construction; only the
// question "was there a state like this" is answered by the key.
import type { CompiledConfig } from '../engine/compile.ts'
import type { ToolDecision } from '../model/effect.ts'
import type { ToolOutcome } from '../model/event.ts'
import type { Facts } from '../model/fact.ts'
import type { JsonObject } from '../model/json.ts'
import { lastSuccess, type SessionState } from '../model/state.ts'
import {
  begin,
  type Edge,
  findAsking,
  findDecision,
  findVerdict,
  isPassed,
  type Moment,
  type Move,
  type Played,
  play,
  START_AT,
  STOPPED,
} from './moves.ts'
import type { Observed } from './observe.ts'
import { listFacts, withFacts } from './possible-facts.ts'
import type { Representer } from './representatives.ts'
import { DEADLINE_SECONDS, listStarts } from './starts.ts'
import { computeKey, type OpenCall } from './state-key.ts'

export interface Node extends Moment {
  readonly id: number
  readonly open: readonly OpenCall[]
  readonly from: Node | null
  readonly moves: readonly Move[]
}

export interface CallDecided {
  readonly kind: 'call'
  readonly tool: string
  readonly args: JsonObject
  /** The states before the decision. */
  readonly lanes: readonly SessionState[]
  /** One for each config. null: the call waits for a reviewer. */
  readonly decisions: readonly (ToolDecision | null)[]
  /** Rules of the first config that ask a reviewer. */
  readonly asking: readonly string[]
}

export interface StopDecided {
  readonly kind: 'stop'
  readonly lanes: readonly SessionState[]
  readonly verdicts: readonly string[]
}

export interface Plan {
  readonly configs: readonly CompiledConfig[]
  readonly observed: Observed
  /** Returns all that the rules of one tool look at themselves. */
  readonly observeTool: (tool: string) => Observed
  /** Calls that may be under way at a time. 0: each call ends before the next begins. */
  readonly underWay: number
  readonly stops: boolean
  /** Keeps every transition, for questions about loops. */
  readonly keepsEdges: boolean
  /** Every call succeeds. Finds traces quickly, and proves nothing. */
  readonly onlySuccess: boolean
  /** Tools whose success can only help, so it is made at once. */
  readonly eager: ReadonlySet<string>
  /** Tools whose calls can be hits; null: every tool. Of another tool, one call with each decision is followed. */
  readonly targets: ReadonlySet<string> | null
  /** True: the answer depends on the arguments of a call that waited. */
  readonly readsInput: boolean
  readonly mostStates: number
  readonly represent: Representer
  readonly isHit: (decided: CallDecided | StopDecided) => boolean
  /** True: the caller no longer waits. */
  readonly isAborted: () => boolean
}

export interface Found {
  /** null: no hit. */
  readonly moves: readonly Move[] | null
  /** Why the search ended early, without a period; null: it looked at every state. */
  readonly cut: string | null
  readonly nodes: readonly Node[]
  readonly edges: readonly Edge[]
  /** Why the arguments that were tried may leave some out, without a period. */
  readonly doubts: readonly string[]
}

interface Letter {
  readonly tool: string
  readonly args: JsonObject
}

interface Request extends Letter {
  readonly id: string
  readonly facts: Facts | undefined
  /** Arguments and facts as text. */
  readonly input: string
  readonly move: Move
}

/** A decision about a call, in every state with the same key of what the rules of its tool look at. */
interface Known extends Letter {
  readonly facts: Facts | undefined
  readonly decisions: readonly (ToolDecision | null)[]
  readonly asking: readonly string[]
  /** False: the call leads to no state, or to that of an earlier one. */
  readonly leads: boolean
}

/** A transition to `to`. */
interface Way {
  readonly moves: readonly Move[]
  readonly to: Moment
  readonly open: readonly OpenCall[]
  /** Absent: no call ran. */
  readonly ran?: string
}

export class Search {
  readonly #plan: Plan
  readonly #nodes: Node[] = []
  readonly #edges: Edge[] = []
  readonly #seen = new Map<string, Node>()
  readonly #letters: readonly Letter[]
  readonly #direct: ReadonlyMap<string, Observed>
  readonly #known = new Map<string, readonly Known[]>()
  readonly #doubts: string[] = []
  /** Lengths of the rate limits, in ms. */
  readonly #windows: readonly number[]
  readonly #turns: readonly number[]
  #hit: readonly Move[] | null = null

  constructor(plan: Plan) {
    this.#plan = plan
    this.#letters = [...plan.observed.tools].flatMap((tool) => this.#listLetters(tool))
    this.#direct = new Map([...plan.observed.tools].map((tool) => [tool, plan.observeTool(tool)]))
    this.#windows = [...new Set(plan.observed.rates.map(({ ms }) => ms))]
    this.#turns = listTurns(plan.observed)
  }

  run(): Found {
    const { configs, observed, mostStates, isAborted } = this.#plan
    const [first] = configs
    for (const start of first === undefined ? [] : listStarts(first, observed))
      this.#visit(null, { moves: [start], to: play(configs, begin(configs), [start]), open: [] })
    let cut: string | null = null
    for (let next = 0; cut === null && next < this.#nodes.length; next++) {
      const node = this.#nodes[next]
      if (node !== undefined) this.#expand(node)
      if (this.#hit !== null) break
      if (this.#nodes.length > mostStates) cut = `there are more than ${mostStates} kinds of states`
      else if (next % 64 === 63 && isAborted()) cut = 'the time was up'
    }
    return { moves: this.#hit, cut, nodes: this.#nodes, edges: this.#edges, doubts: this.#doubts }
  }

  /** Rules about files see a path, whatever the call is about. */
  #listLetters(tool: string): readonly Letter[] {
    const { args: atoms, reads } = this.#plan.observed
    const { kinds, isComplete } = this.#plan.represent([...(atoms.get(tool) ?? [])])
    if (!isComplete) this.#doubts.push(`\`${tool}\` has more kinds of arguments than are tried`)
    const paths = Object.fromEntries([...reads.values()].map((name) => [name, 'file.txt']))
    return kinds.map((args) => ({ tool, args: { ...paths, ...args } }))
  }

  #play(from: Moment, ...moves: readonly Move[]): Played {
    return play(this.#plan.configs, from, moves)
  }

  #visit(from: Node | null, { moves, to, open, ran }: Way): void {
    const { lanes, seq, at } = to
    const key = computeKey(this.#plan.observed, { lanes, open })
    let node = this.#seen.get(key)
    if (node === undefined) {
      node = { id: this.#nodes.length, lanes, seq, at, open, from, moves }
      this.#seen.set(key, node)
      this.#nodes.push(node)
    }
    if (this.#plan.keepsEdges && from !== null)
      this.#edges.push({ from: from.id, to: node.id, ran: ran ?? null })
  }

  /** True: the decision answers the question. */
  #hits(node: Node, move: Move, decided: CallDecided | StopDecided): boolean {
    if (!this.#plan.isHit(decided)) return false
    this.#hit ??= [...listMoves(node), move]
    return true
  }

  #expand(node: Node): void {
    if (node.open.length === 0 && this.#expandEager(node)) return
    for (const call of node.open) {
      if (call.isWaiting) this.#answerCall(node, call)
      else this.#endCall(node, call)
    }
    this.#call(node)
    const turns = this.#turns.map((turn) => turn - node.at).filter((waitMs) => waitMs > 0)
    for (const waitMs of [...this.#windows, ...turns])
      this.#follow(node, { body: { type: 'heartbeat', data: {} }, waitMs })
    this.#changePlan(node)
    if (this.#plan.stops) this.#stop(node)
  }

  #call(node: Node): void {
    for (const tool of this.#plan.observed.tools)
      for (const known of this.#decide(node, tool)) {
        const isHit = this.#plan.isHit({ kind: 'call', lanes: node.lanes, ...known })
        if (isHit || known.leads) this.#ask(node, this.#makeRequest(node, known, known.facts))
      }
  }

  /** Equal keys get equal decisions, so most are made once. */
  #decide(node: Node, tool: string): readonly Known[] {
    const direct = this.#direct.get(tool)
    if (direct === undefined || direct.isVague) return this.#decideNow(node, tool)
    const key = `${tool} ${computeKey(direct, { lanes: node.lanes, open: [] })}`
    const known = this.#known.get(key) ?? this.#decideNow(node, tool)
    this.#known.set(key, known)
    return known
  }

  #decideNow(node: Node, tool: string): readonly Known[] {
    const all: Known[] = []
    const followed = new Set<string>()
    for (const letter of this.#letters) {
      if (letter.tool !== tool) continue
      for (const request of this.#listRequests(node, letter)) {
        const { args, facts } = request
        const { effects } = this.#play(node, request.move)
        const decisions = effects.map(findDecision)
        const asking = findAsking(effects[0])
        const decision = findMove(decisions[0])
        const way = describeWay({ tool, decision, input: this.#describeInput(request, asking) })
        const leads = !followed.has(way) && (decision !== 'denied' || this.#countsDenied(tool))
        followed.add(way)
        if (leads || this.#isTarget(tool)) all.push({ tool, args, facts, decisions, asking, leads })
      }
    }
    return all
  }

  #follow(node: Node, move: Move): void {
    this.#visit(node, { moves: [move], to: this.#play(node, move), open: node.open })
  }

  #changePlan(node: Node): void {
    const { session } = this.#plan.observed
    if (!session.has('plan.done') && !session.has('plan.total')) return
    for (const status of ['done', 'pending'] as const) {
      const data = { steps: [{ title: 'step', status }] }
      this.#follow(node, { body: { type: 'plan.updated', data }, waitMs: 1 })
    }
  }

  /** Makes one success that can only help, and nothing else. False: there is none. */
  #expandEager(node: Node): boolean {
    const { eager } = this.#plan
    const worthwhile = this.#letters.filter(
      ({ tool }) => eager.has(tool) && this.#isWorthwhile(node, tool),
    )
    for (const letter of worthwhile)
      for (const request of this.#listRequests(node, letter)) {
        const asked = this.#play(node, request.move)
        if (findDecision(asked.effects[0])?.decision !== 'allowed') continue
        const [end] = this.#listEnds(asked, request, 'success')
        if (end === undefined) continue
        const { open } = node
        const to = this.#play(asked, end)
        this.#visit(node, { moves: [request.move, end], to, open, ran: letter.tool })
        return true
      }
    return false
  }

  #isWorthwhile({ lanes: [state] }: Node, tool: string): boolean {
    if (state === undefined) return false
    const own = lastSuccess(state, tool)
    const pairs = [...this.#plan.observed.pairs.values()]
    return (
      own === 0 || pairs.some(([one, other]) => one === tool && lastSuccess(state, other) > own)
    )
  }

  #answerCall(node: Node, call: OpenCall): void {
    const data = { call_id: call.id, decision: 'approved' } as const
    const move: Move = { body: { type: 'approval.decided', data }, waitMs: 1 }
    const to = this.#play(node, move)
    const decisions = to.effects.map(findDecision)
    const { tool, args } = call
    const decided = { kind: 'call', tool, args, lanes: node.lanes, decisions, asking: [] } as const
    if (this.#hits(node, move, decided) || decisions[0]?.decision !== 'allowed') return
    const running = { ...call, input: this.#describeMarks(tool, args), isWaiting: false }
    this.#visit(node, { moves: [move], to, open: [...without(node, call), running] })
  }

  #endCall(node: Node, call: OpenCall): void {
    for (const outcome of this.#listOutcomes(call.tool))
      for (const end of this.#listEnds(node, call, outcome)) {
        const to = this.#play(node, end)
        this.#visit(node, { moves: [end], to, open: without(node, call), ran: call.tool })
      }
  }

  #ask(node: Node, request: Request): void {
    const { id, tool, args, move } = request
    const asked = this.#play(node, move)
    const decisions = asked.effects.map(findDecision)
    const asking = findAsking(asked.effects[0])
    const decided = { kind: 'call', tool, args, lanes: node.lanes, decisions, asking } as const
    if (this.#hits(node, move, decided)) return
    const decision = findMove(decisions[0])
    const input = this.#describeInput(request, asking)
    const call = { id, tool, args, input, isWaiting: decision === 'waits' }
    if (decision === 'allowed') this.#end(node, { ...request, asked }, this.#listOutcomes(tool))
    if (decision === 'denied') this.#end(node, { ...request, asked }, ['denied'])
    else if (node.open.length < Math.max(call.isWaiting ? 1 : 0, this.#plan.underWay))
      this.#visit(node, { moves: [move], to: asked, open: [...node.open, call] })
  }

  /** Arguments in which rules that remember files find them, as text: later decisions look at no others. */
  #describeMarks(tool: string, args: JsonObject): string {
    const names = this.#plan.configs.flatMap(({ rulesFor }) =>
      rulesFor(tool).forms.flatMap(({ params }) => params),
    )
    const marks = Object.fromEntries(Object.entries(args).filter(([name]) => names.includes(name)))
    return JSON.stringify(marks)
  }

  /** Returns the text of all that later decisions about the call look at. `asking`: rules that ask a reviewer. */
  #describeInput({ tool, args, input }: Request, asking: readonly string[]): string {
    if (asking.length > 0 && this.#isTarget(tool) && this.#plan.readsInput) return input
    return [this.#describeMarks(tool, args), ...asking].join(' ')
  }

  #isTarget(tool: string): boolean {
    return this.#plan.targets?.has(tool) ?? true
  }

  #end(
    node: Node,
    request: Request & { readonly asked: Moment },
    outcomes: readonly ToolOutcome[],
  ): void {
    const { move, tool, asked } = request
    for (const outcome of outcomes)
      for (const end of this.#listEnds(asked, request, outcome)) {
        const way = { moves: [move, end], to: this.#play(asked, end), open: node.open }
        this.#visit(node, outcome === 'denied' ? way : { ...way, ran: tool })
      }
  }

  #counts(tool: string, field: string): boolean {
    return this.#plan.observed.counts.has(`${tool} ${field}`)
  }

  #countsDenied(tool: string): boolean {
    const isCounted = this.#counts(tool, 'denied') || this.#counts(tool, 'calls')
    return isCounted || this.#plan.observed.session.has('calls')
  }

  #listOutcomes(tool: string): readonly ToolOutcome[] {
    if (this.#plan.onlySuccess) return ['success']
    const { lasts, session } = this.#plan.observed
    const [isLast, isEnded] = [lasts.has(tool), this.#counts(tool, 'calls')]
    const isFailed = this.#counts(tool, 'failed')
    const outcomes: ToolOutcome[] = ['success']
    if (isLast || isEnded || isFailed || session.has('calls')) outcomes.push('failure')
    if (isLast || isEnded) outcomes.push('unknown')
    // It counts as failed, and changes no last outcome.
    if (isLast && isFailed) outcomes.push('invalid')
    return outcomes
  }

  #listRequests(node: Node, letter: Letter): readonly Request[] {
    const { body } = this.#makeRequest(node, letter, undefined).move
    return listFacts(this.#plan.configs, node, body).map((facts) =>
      this.#makeRequest(node, letter, facts),
    )
  }

  #makeRequest({ seq }: Node, { tool, args }: Letter, facts: Facts | undefined): Request {
    const id = `c${seq + 1}`
    const bare = { type: 'tool.requested', data: { call_id: id, tool, args } } as const
    const input = JSON.stringify({ args, facts })
    return { id, tool, args, facts, input, move: { body: withFacts(bare, facts), waitMs: 0 } }
  }

  #listEnds(
    moment: Moment,
    { id, tool }: Pick<OpenCall, 'id' | 'tool'>,
    outcome: ToolOutcome,
  ): readonly Move[] {
    const bare = { type: 'tool.invoked', data: { call_id: id, tool, outcome } } as const
    return listFacts(this.#plan.configs, moment, bare).map((facts) => ({
      body: withFacts(bare, facts),
      waitMs: 1,
    }))
  }

  #stop(node: Node): void {
    const bare = { type: 'stop.attempted', data: { via: 'turn_end' } } as const
    for (const facts of listFacts(this.#plan.configs, node, bare)) {
      const move = { body: withFacts(bare, facts), waitMs: 0 }
      const to = this.#play(node, move)
      const verdicts = to.effects.map(findVerdict)
      if (this.#hits(node, move, { kind: 'stop', lanes: node.lanes, verdicts })) return
      if (isPassed(verdicts[0])) {
        if (this.#plan.keepsEdges) this.#edges.push({ from: node.id, to: node.id, ran: STOPPED })
      } else if (this.#plan.observed.session.has('stop_blocks'))
        this.#visit(node, { moves: [move], to, open: node.open })
    }
  }
}

type Decided = 'allowed' | 'denied' | 'waits'

interface NextWay {
  readonly tool: string
  readonly decision: Decided
  readonly input: string
}

/** Calls with equal texts lead to the same states. */
function describeWay({ tool, decision, input }: NextWay): string {
  return `${tool} ${decision} ${input}`
}

/** A call that a rule cannot judge is denied. */
function findMove(decision: ToolDecision | null | undefined): Decided {
  if (decision === null || decision === undefined) return 'waits'
  return decision.decision === 'allowed' ? 'allowed' : 'denied'
}

function without({ open }: Node, call: OpenCall): readonly OpenCall[] {
  return open.filter((other) => other !== call)
}

/** Times at which a condition about time comes out in another way, epoch ms. */
function listTurns({ session }: Observed): readonly number[] {
  const read = (field: string): readonly number[] =>
    [...(session.get(field) ?? [])].filter((constant) => typeof constant === 'number')
  const left = session.has('remaining_seconds') ? [...read('remaining_seconds'), 0] : []
  const seconds = [
    ...read('elapsed_seconds'),
    ...left.map((count) => DEADLINE_SECONDS - count),
  ].sort((a, b) => a - b)
  // Each, and a time after it.
  const times = seconds.flatMap((count, i) => [count, (count + (seconds[i + 1] ?? count + 2)) / 2])
  return [...new Set(times.map((count) => START_AT + Math.round(count * 1000)))]
}

export function listMoves(node: Node): readonly Move[] {
  const all: (readonly Move[])[] = []
  for (let at: Node | null = node; at !== null; at = at.from) all.unshift(at.moves)
  return all.flat()
}
