// Reads a session once: the events that a rule alone needs, and a row for each allowed call of the tool, or for each stop that passed.
import { containsMark, FOLDED_EVENT_TYPES } from '../analysis/backtest/backtest-session.ts'
import { isNonObject } from '../kinds/policies/call.ts'
import {
  findPaths,
  isPlain,
  MOST_PATHS,
  type PathArgument,
  type PathForm,
  resolvePathForm,
} from '../kinds/policies/path-argument.ts'
import type { EventOf, SessionEvent, ToolRequested } from '../model/event.ts'
import { type Facts, fileFact } from '../model/fact.ts'
import { knownSemantics } from '../model/semantics.ts'
import { initialState, type SessionState } from '../model/state.ts'
import type { Row, RowFile } from './row.ts'
import type { ToolNames } from './tool-names.ts'

/** null: the rows are stops. */
export type Target = string | null

export interface Reading {
  readonly target: Target
  readonly names: ToolNames
  /** In seconds. */
  readonly windows: readonly number[]
  /** False: no candidate looks at files. */
  readonly wantsFiles: boolean
  /** Pairs of tools of which the rank asks how often the first is newer by chance. */
  readonly pairs: readonly (readonly [number, number])[]
  readonly maxStopBlocks: number
  canonicalTool(name: string): string
  /** True: events of the tool keep their arguments. */
  keepsArguments(tool: string): boolean
}

/** How often tools had succeeded at moments spread over the session, whatever the agent did at them. */
export interface Chances {
  readonly moments: number
  /** By number of the tool: moments at which it had succeeded. */
  readonly succeeded: readonly number[]
  /** By pair: moments at which the first was newer, and at which the second was. */
  readonly newer: readonly (readonly [number, number])[]
}

export interface ReadSession {
  readonly id: string
  /** Epoch ms of the first event. */
  readonly startedAt: number
  readonly events: readonly SessionEvent[]
  /** Ids of calls that were not allowed. */
  readonly refused: ReadonlySet<string>
  /** Sequence numbers of stops that did not pass, or that passed without being checked. */
  readonly unchecked: ReadonlySet<number>
  /** Ids of calls about which a reviewer was asked. */
  readonly waited: ReadonlySet<string>
  /** Canonical names of the tools that were called. */
  readonly tools: ReadonlySet<string>
  readonly rows: readonly Row[]
  readonly chances: Chances
}

const FOLDED: ReadonlySet<string> = new Set(FOLDED_EVENT_TYPES)
const PATH_FORM: PathForm = resolvePathForm({})
/** The moments are those of every 16th call, which are far enough apart to be different situations. */
const MOMENT_MASK = 15
const FIRST_MOMENT = 3

/** null: there is no event. */
export function readSession(events: Iterable<SessionEvent>, reading: Reading): ReadSession | null {
  const told = listKept(events, reading)
  const [first] = told.events
  if (first === undefined) return null
  const walk = new Walk(reading, told)
  for (const event of told.events) walk.read(event)
  const { rows, chances } = walk
  return { id: first.session, startedAt: first.at, ...told, rows, chances: chances() }
}

type Told = Pick<ReadSession, 'events' | 'refused' | 'unchecked' | 'waited' | 'tools'>

function listKept(events: Iterable<SessionEvent>, reading: Reading): Told {
  const kept: SessionEvent[] = []
  const refused = new Set<string>()
  const unchecked = new Set<number>()
  const waited = new Set<string>()
  const tools = new Set<string>()
  let stop: EventOf<'stop.attempted'> | null = null
  for (const event of events) {
    const id = findRefusedCall(event)
    if (id !== null) refused.add(id)
    if (event.type === 'approval.requested') waited.add(event.data.call_id)
    if (event.type === 'tool.requested') tools.add(reading.canonicalTool(event.data.tool))
    if (event.type === 'stop.attempted') stop = event
    if (event.type === 'stop.decided' && stop !== null && !isChecked(event, stop, reading))
      unchecked.add(stop.seq)
    if (FOLDED.has(event.type) && event.type !== 'config.applied') kept.push(trim(event, reading))
  }
  return { events: kept, refused, unchecked, waited, tools }
}

/** Ids of calls that did not run, because a rule, a user, or a missing answer refused them. */
export function listRefusedCalls(events: Iterable<SessionEvent>): ReadonlySet<string> {
  const refused = new Set<string>()
  for (const event of events) {
    const id = findRefusedCall(event)
    if (id !== null) refused.add(id)
  }
  return refused
}

function findRefusedCall(event: SessionEvent): string | null {
  switch (event.type) {
    case 'tool.decided':
      return event.data.decision === 'allowed' ? null : event.data.call_id
    case 'tool.invoked':
      return event.data.outcome === 'denied' ? event.data.call_id : null
    case 'approval.decided':
      return event.data.decision === 'approved' ? null : event.data.call_id
    default:
      return null
  }
}

/** False: the stop did not pass its checks, or could not be blocked any more. */
function isChecked(
  { data: { verdict, prior_blocks } }: EventOf<'stop.decided'>,
  { data: { via, harness_max_blocks } }: EventOf<'stop.attempted'>,
  { maxStopBlocks }: Reading,
): boolean {
  const limit = Math.min(maxStopBlocks, harness_max_blocks ?? maxStopBlocks)
  return (
    (verdict === 'allowed' || verdict === 'no_checker') && (via === 'final' || prior_blocks < limit)
  )
}

/** Without what no rule reads, because thousands of sessions are kept. */
function trim(event: SessionEvent, { canonicalTool, keepsArguments }: Reading): SessionEvent {
  if (event.type === 'tool.invoked') {
    const { output, error, ...data } = event.data
    return output === undefined && error === undefined ? event : { ...event, data }
  }
  if (event.type !== 'tool.requested' || keepsArguments(canonicalTool(event.data.tool)))
    return event
  const args = Object.fromEntries(
    Object.entries(event.data.args).filter(([name]) => PATH_FORM.params.includes(name)),
  )
  return { ...event, data: { ...event.data, args } }
}

interface Open {
  readonly tool: string
  readonly paths: readonly string[]
}

class Walk {
  readonly rows: Row[] = []
  readonly #reading: Reading
  readonly #told: Told
  #state: SessionState = initialState('')
  readonly #open = new Map<string, Open>()
  readonly #readers = new Map<string, Set<number>>()
  // Rows share these lists, which are copied before they change.
  #successes: readonly number[] = []
  #runs: readonly number[] = []
  #failures: readonly number[] = []
  #unseen: readonly number[] = []
  readonly #admitted: number[] = []
  #requests = 0
  #moments = 0
  readonly #succeeded: number[] = []
  readonly #newer: [number, number][]

  constructor(reading: Reading, told: Told) {
    this.#reading = reading
    this.#told = told
    this.#newer = reading.pairs.map(() => [0, 0])
  }

  readonly chances = (): Chances => ({
    moments: this.#moments,
    succeeded: this.#succeeded,
    newer: this.#newer,
  })

  read(event: SessionEvent): void {
    switch (event.type) {
      case 'session.started': {
        const { environment, semantics, workspace_root: root } = event.data
        const known = { environment, workspaceRoot: root ?? null }
        this.#state = { ...this.#state, ...known, semantics: knownSemantics(semantics ?? 1) }
        break
      }
      case 'tool.requested':
        this.#request(event)
        break
      case 'approval.decided':
        // A call that was not approved is not open.
        if (this.#open.get(event.data.call_id)?.tool === this.#reading.target)
          this.#admitted.push(event.at)
        break
      case 'tool.invoked':
        this.#end(event)
        break
      case 'stop.attempted':
        if (this.#reading.target === null && !this.#told.unchecked.has(event.seq))
          this.rows.push({
            ...this.#base(event.seq),
            ...(event.data.facts === undefined ? {} : { facts: event.data.facts }),
          })
        break
      default:
        break
    }
  }

  #base(seq: number): Row {
    return {
      seq,
      args: {},
      isHidden: false,
      isOpaque: false,
      environment: this.#state.environment,
      successes: this.#successes,
      runs: this.#runs,
      failures: this.#failures,
      earlier: [],
      files: [],
      unseen: this.#unseen,
    }
  }

  #request({ seq, at, data }: EventOf<'tool.requested'>): void {
    if ((this.#requests++ & MOMENT_MASK) === FIRST_MOMENT) this.#countMoment()
    if (this.#told.refused.has(data.call_id)) return
    const tool = this.#reading.canonicalTool(data.tool)
    const paths = this.#reading.wantsFiles ? this.#listPaths(data) : []
    this.#open.set(data.call_id, { tool, paths })
    if (tool !== this.#reading.target) return
    this.rows.push({
      ...this.#base(seq),
      args: data.args,
      isHidden: containsMark(data.args),
      isOpaque: isNonObject(data.args, this.#state),
      earlier: this.#reading.windows.map((seconds) => this.#countSince(at - seconds * 1000)),
      files: this.#reading.wantsFiles ? this.#listFiles(data) : [],
    })
    if (!this.#told.waited.has(data.call_id)) this.#admitted.push(at)
  }

  #countSince(time: number): number {
    return this.#admitted.length - 1 - this.#admitted.findLastIndex((at) => at <= time)
  }

  #end({ seq, data }: EventOf<'tool.invoked'>): void {
    const tool = this.#reading.canonicalTool(data.tool)
    const open = this.#open.get(data.call_id)
    this.#open.delete(data.call_id)
    const { outcome } = data
    const number = this.#reading.names.number(tool)
    if (outcome === 'denied') return
    if (outcome === 'invalid' || (outcome === 'failure' && open?.tool === tool))
      this.#failures = withPlace(this.#failures, number, (this.#failures[number] ?? 0) + 1)
    if (outcome === 'invalid') return
    this.#runs = withPlace(this.#runs, number, seq)
    if (outcome !== 'success' || open?.tool !== tool) return
    this.#successes = withPlace(this.#successes, number, seq)
    for (const path of open.paths) this.#remember(path, number, data.facts)
  }

  #remember(path: string, reader: number, facts: Facts | undefined): void {
    if (facts?.files === undefined || !Object.hasOwn(facts.files, path)) {
      if (!this.#unseen.includes(reader)) this.#unseen = [...this.#unseen, reader]
    }
    if (this.#state.semantics >= 2 && fileFact(facts, path).exists !== true) return
    const known = this.#readers.get(path) ?? new Set()
    this.#readers.set(path, known.add(reader))
  }

  #listPaths({ args, facts }: ToolRequested): readonly string[] {
    const { found } = findPaths(PATH_FORM, { args }, this.#state)
    if (found.length > MOST_PATHS) return []
    return found.flatMap((one) => (one.normal !== null && isPlain(one, facts) ? [one.normal] : []))
  }

  #listFiles({ args, facts }: ToolRequested): Row['files'] {
    const request = { args, ...(facts === undefined ? {} : { facts }) }
    const { found } = findPaths(PATH_FORM, request, this.#state)
    if (isNonObject(args, this.#state) || found.length > MOST_PATHS) return 'refused'
    const files: RowFile[] = []
    for (const one of found) {
      const exists = findExistence(one, facts)
      if (exists === 'refused' || exists === 'unknown') return exists
      files.push({ exists, readers: [...(this.#readers.get(one.normal ?? '') ?? [])] })
    }
    return files
  }

  #countMoment(): void {
    this.#moments += 1
    for (const [tool, seq] of this.#successes.entries())
      if (seq > 0) this.#succeeded[tool] = (this.#succeeded[tool] ?? 0) + 1
    for (const [i, [needed, after]] of this.#reading.pairs.entries()) {
      const [one, other] = [this.#successes[needed] ?? 0, this.#successes[after] ?? 0]
      const counts = this.#newer[i]
      if (counts === undefined || one === 0 || other === 0) continue
      counts[one > other ? 0 : 1] += 1
    }
  }
}

/** `unknown`: not recorded. `refused`: a rule about files refuses the path, whatever was read. */
function findExistence(
  one: PathArgument,
  facts: Facts | undefined,
): boolean | 'refused' | 'unknown' {
  const { normal, file, left } = one
  if (normal === null) return 'refused'
  if (!Object.hasOwn(facts?.files ?? {}, normal)) return 'unknown'
  const isRecorded = (folder: string | null): boolean =>
    folder === null || Object.hasOwn(facts?.links ?? {}, folder)
  if (!isPlain(one, facts)) return left.every(isRecorded) ? 'refused' : 'unknown'
  const isRefused = file.exists === 'unknown' || (file.exists && file.kind === 'directory')
  return isRefused ? 'refused' : file.exists === true
}

function withPlace(values: readonly number[], place: number, value: number): readonly number[] {
  const copy = values.slice()
  copy[place] = value
  return copy
}
