// Counts what the sessions of a sample have in common, in one pass over their logs.
import { DEFAULT_MAX_STOP_BLOCKS } from '../engine/compile.ts'
import { exhaustion } from '../engine/decide-stop.ts'
import { recordUsage } from '../engine/step.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import type { EventOf, SessionEvent, ToolRequested } from '../model/event.ts'
import { normalizePath } from '../model/path.ts'
import { createDraft, initialState, type StateDraft } from '../model/state.ts'
import { ArgumentCounts } from './count-arguments.ts'
import { FileCounts } from './count-files.ts'
import { OrderCounts, type Successes } from './count-orders.ts'
import { RateCounts } from './count-rates.ts'
import { FAMILIES, type LearnCounts } from './counts.ts'
import { GroupWriter } from './group-writer.ts'
import { STOP_INDEX, ToolTable } from './tool-table.ts'

export interface LearnerOptions {
  /** Canonical names of the tools to look at, at most 32. Absent: the first 32 that the sessions name. */
  readonly tools?: readonly string[]
  /** Config under which the sessions ran. Absent: one without aliases and with the default limits. */
  readonly config?: Pick<ConfigDocument, 'aliases' | 'limits'>
}

export interface Learner {
  /** Sessions one after another, whole or in parts: events of the same session continue it. In order of `seq`. */
  add(events: Iterable<SessionEvent>): void
  /** Ends the session that was read last. */
  counts(): LearnCounts
}

export function openLearner({ tools, config = {} }: LearnerOptions = {}): Learner {
  const { aliases = {}, limits } = config
  const table = new ToolTable(tools ?? null, aliases)
  return new SampleLearner(table, limits?.max_stop_blocks ?? DEFAULT_MAX_STOP_BLOCKS)
}

interface OpenCall {
  readonly tool: number
  readonly request: ToolRequested
  readonly paths: readonly string[]
  /** Those before its request. */
  readonly successes: Successes
  /** Epoch ms of the request, or of the answer of a reviewer. */
  at: number
  isCounted: boolean
  isAllowed: boolean
}

interface OpenStop {
  readonly at: number
  readonly successes: Successes
  /** Blocked stops after which this one would pass any check. */
  readonly mostBlocks: number
}

type PlanState = 'none' | 'open' | 'done'

type Spending = Pick<StateDraft, 'deadlineAt' | 'budget' | 'usage' | 'evaluations'>

function startSpending(): Spending {
  const { deadlineAt, budget, usage, evaluations } = createDraft(initialState(''))
  return { deadlineAt, budget, usage, evaluations }
}

class SampleLearner implements Learner {
  readonly #table: ToolTable
  readonly #mostBlocks: number
  readonly #orders = new OrderCounts()
  readonly #files = new FileCounts()
  readonly #rates = new RateCounts()
  readonly #arguments = new ArgumentCounts()
  readonly #plans = new Map<string, number>()
  readonly #skipped = new Map<string, number>()
  #sessions = 0
  #events = 0

  /** Id of the session that is read; null: none. */
  #session: string | null = null
  readonly #open = new Map<string, OpenCall>()
  #stop: OpenStop | null = null
  #plan: PlanState = 'none'
  /** Worst state of the plan at a stop; null: no stop yet. */
  #planAtStops: PlanState | null = null
  #root: string | null = null
  #spending = startSpending()

  constructor(table: ToolTable, mostBlocks: number) {
    this.#table = table
    this.#mostBlocks = mostBlocks
  }

  add(events: Iterable<SessionEvent>): void {
    for (const event of events) {
      if (event.session !== this.#session) this.#begin(event.session)
      this.#events += 1
      this.#read(event)
    }
  }

  counts(): LearnCounts {
    this.#end()
    const writer = new GroupWriter()
    const { names } = this.#table
    for (const part of [this.#orders, this.#files, this.#rates, this.#arguments])
      part.write(writer, names)
    writer.addAll(FAMILIES.plan, this.#plans)
    writer.addAll(FAMILIES.skipped, this.#skipped)
    return { sessions: this.#sessions, events: this.#events, groups: writer.close() }
  }

  #begin(session: string): void {
    this.#end()
    this.#session = session
    this.#sessions += 1
    for (const part of [this.#orders, this.#files, this.#rates, this.#arguments]) part.begin()
    this.#open.clear()
    this.#stop = null
    this.#plan = 'none'
    this.#planAtStops = null
    this.#root = null
    this.#spending = startSpending()
  }

  #end(): void {
    if (this.#session === null) return
    this.#session = null
    for (const part of [this.#orders, this.#files, this.#rates, this.#arguments]) part.end()
    const plan = this.#planAtStops
    if (plan !== null) this.#plans.set(plan, (this.#plans.get(plan) ?? 0) + 1)
  }

  #read(event: SessionEvent): void {
    switch (event.type) {
      case 'tool.requested':
        this.#request(event)
        break
      case 'tool.decided':
        this.#decide(event.data.call_id, event.data.decision === 'allowed')
        break
      case 'tool.invoked':
        this.#finish(event)
        break
      default:
        this.#readOther(event)
    }
  }

  #readOther(event: SessionEvent): void {
    switch (event.type) {
      case 'session.started':
        this.#root = event.data.workspace_root ?? null
        this.#spending.deadlineAt = event.data.deadline_at ?? null
        this.#spending.budget = event.data.budget ?? null
        break
      case 'approval.requested':
        this.#wait(event.data.call_id)
        break
      case 'approval.decided': {
        const call = this.#open.get(event.data.call_id)
        if (call !== undefined) call.at = event.at
        break
      }
      case 'plan.updated': {
        const { steps } = event.data
        const isDone = steps.every(({ status }) => status === 'done')
        this.#plan = steps.length === 0 ? 'none' : isDone ? 'done' : 'open'
        break
      }
      case 'usage.recorded':
        recordUsage(this.#spending, event.data)
        break
      case 'file.observed': {
        const { path, facts } = event.data
        this.#files.learn(path, facts?.files?.[path])
        break
      }
      case 'stop.attempted':
        this.#attempt(event)
        break
      case 'stop.decided':
        this.#decideStop(event)
        break
      default:
        break
    }
  }

  #request({ at, data }: EventOf<'tool.requested'>): void {
    const name = this.#table.canonical(data.tool)
    const tool = this.#table.find(name)
    if (tool < 0) {
      this.#skipped.set(name, (this.#skipped.get(name) ?? 0) + 1)
      return
    }
    this.#rates.repeat(tool, data.args)
    this.#open.set(data.call_id, {
      tool,
      request: data,
      paths: this.#listPaths(data),
      successes: this.#orders.now,
      at,
      isCounted: false,
      isAllowed: false,
    })
  }

  #listPaths({ args }: ToolRequested): readonly string[] {
    const { path, file_path } = args
    if (path === undefined && file_path === undefined) return NO_PATHS
    const given = [path, file_path].flatMap((value) => value ?? [])
    const context = { workspaceRoot: this.#root, mountPoint: null }
    return given.flatMap((one) =>
      typeof one === 'string' ? (normalizePath(one, context) ?? []) : [],
    )
  }

  /** A refused call never ran, so it is no example of anything. */
  #decide(callId: string, isAllowed: boolean): void {
    const call = this.#open.get(callId)
    if (call === undefined || !isAllowed) return
    call.isAllowed = true
    const { tool, at, isCounted, successes } = call
    this.#orders.judge(tool, isCounted ? this.#orders.now : successes)
    this.#rates.judge(tool, at)
    this.#rates.admit(tool, at)
    this.#count(call)
  }

  /** The call waits for a reviewer: rules judged it now, and will again. */
  #wait(callId: string): void {
    const call = this.#open.get(callId)
    if (call === undefined) return
    this.#orders.judge(call.tool, call.successes)
    this.#rates.judge(call.tool, call.at)
    this.#count(call)
  }

  #count(call: OpenCall): void {
    if (call.isCounted) return
    call.isCounted = true
    const { tool, request, paths } = call
    this.#orders.advance()
    this.#arguments.call(tool, request.args)
    for (const path of paths) this.#files.call(tool, path, request.facts?.files?.[path])
  }

  #finish({ data }: EventOf<'tool.invoked'>): void {
    const { outcome, call_id: callId } = data
    const tool = this.#table.find(this.#table.canonical(data.tool))
    const call = this.#open.get(callId)
    this.#open.delete(callId)
    if (tool < 0) return
    if (outcome === 'denied' || outcome === 'invalid') {
      this.#rates.finish(tool, false)
      return
    }
    // As the engine counts it: a result without an allowed request proves nothing.
    const isTrusted = call?.tool === tool && call.isAllowed
    if (isTrusted && outcome !== 'unknown') this.#rates.finish(tool, outcome === 'success')
    if (outcome !== 'success' || !isTrusted) {
      this.#orders.fail(tool)
      return
    }
    this.#orders.succeed(tool)
    for (const path of call.paths) this.#files.succeed(tool, path, data.facts?.files?.[path])
  }

  #attempt({ at, data }: EventOf<'stop.attempted'>): void {
    const given = data.harness_max_blocks ?? this.#mostBlocks
    const isFinal = data.via === 'final'
    const mostBlocks = isFinal ? Number.POSITIVE_INFINITY : Math.min(given, this.#mostBlocks)
    this.#stop = { at, successes: this.#orders.now, mostBlocks }
    const files = data.facts?.files ?? {}
    for (const path in files) this.#files.learn(path, files[path])
  }

  /** A stop that a deadline, a budget or a limit of blocks let pass would have passed every check. */
  #decideStop({ data }: EventOf<'stop.decided'>): void {
    const stop = this.#stop
    this.#stop = null
    if (stop === null) return
    const isUnchecked =
      data.verdict === 'no_checker' && exhaustion(this.#spending, stop.at) === null
    if (data.verdict !== 'allowed' && !isUnchecked) return
    if (data.prior_blocks >= stop.mostBlocks) return
    this.#orders.judge(STOP_INDEX, stop.successes)
    this.#files.stop()
    if (this.#planAtStops !== 'open') this.#planAtStops = this.#plan
  }
}

const NO_PATHS: readonly string[] = []
