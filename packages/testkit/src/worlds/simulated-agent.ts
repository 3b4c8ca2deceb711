import type {
  CompiledConfig,
  EventBody,
  Facts,
  FileFact,
  JsonObject,
  SessionEvent,
  ToolOutcome,
} from '@signalbox/core'
import type { Dice } from '../story/random.ts'
import type { HiddenRule } from './hidden-rule.ts'
import { LogRecorder } from './recorded-log.ts'

export interface ToolCall {
  readonly tool: string
  readonly args: JsonObject
}

/** Bad moment of a session: one hidden rule is broken, or one call is made. */
export type Incident = { readonly breaks: HiddenRule } | { readonly makes: ToolCall }

export interface Run {
  readonly events: readonly SessionEvent[]
  /** `seq` of the request or the stop at which the incident happened; null: there was none. */
  readonly incident: number | null
}

/** How often the agent wants each tool, in relation to the others. */
const WISHES = {
  read_file: 9,
  list_dir: 4,
  search: 5,
  write_file: 6,
  run_tests: 3,
  lint: 2,
  build: 2,
  bash: 4,
  fetch_url: 2,
  deploy: 1,
  git_push: 1,
  backup_db: 1,
  migrate_db: 1,
  lookup_customer: 1,
  verify_identity: 1,
  refund: 1,
  send_mail: 1,
  create_ticket: 1,
  close_ticket: 1,
  notify: 1,
} as const
type Tool = keyof typeof WISHES

// Object.entries is typed with any string.
const BAG = Object.entries(WISHES).flatMap(([tool, times]) =>
  Array<Tool>(times).fill(tool as Tool),
) as [Tool, ...Tool[]]

const FILES = Array.from({ length: 40 }, (_, i) => `src/f${i}.ts`) as [string, ...string[]]
const COMMANDS = ['git status', 'git diff --stat', 'ls -la', 'npm ci', 'cat README.md'] as const
const ADDRESSES = ['ana@corp.example', 'bo@corp.example', 'list@corp.example'] as const
const PAGES = [
  'https://docs.example/a',
  'https://docs.example/b',
  'https://corp.example/x',
] as const
const WORDS = ['tax', 'invoice', 'rounding'] as const
const TARGETS = ['staging', 'preview', 'production'] as const
const CURRENCIES = ['EUR', 'USD', 'GBP', 'CHF'] as const
const FAILING = 0.04
const FAILING_TESTS = 0.25
/** Tries before the agent gives a prerequisite up, and with it the call. */
const MOST_TRIES = 8
const MOST_DEPTH = 4
const MOST_STOPS = 3

interface Settings {
  readonly session: string
  readonly startAt: number
  readonly config: CompiledConfig
  readonly rules: readonly HiddenRule[]
  readonly noise: number
  readonly dice: Dice
}

export class SimulatedAgent {
  readonly #settings: Settings
  readonly #dice: Dice
  readonly #recorder: LogRecorder
  readonly #succeeded = new Map<string, number>()
  readonly #failedLast = new Set<string>()
  readonly #known = new Set<string>()
  readonly #versions = new Map<string, number>(FILES.map((file) => [file, 1]))
  readonly #calledAt = new Map<string, number[]>()
  #at: number
  #calls = 0
  /** Tool that the agent avoids, so that an incident can happen without it; null: none. */
  #avoided: string | null = null

  constructor(settings: Settings) {
    this.#settings = settings
    this.#dice = settings.dice
    this.#recorder = new LogRecorder(settings.config)
    this.#at = settings.startAt
  }

  run(incident?: Incident): Run {
    const harness = { name: 'simulated' }
    const head = { ns: 'world', key: 'agent', environment: 'dev', harness, workspace_root: '/w' }
    this.#record({ type: 'session.started', data: { semantics: 2, ...head } })
    const most = 25 + this.#dice.upTo(60)
    const broken = incident !== undefined && 'breaks' in incident ? incident.breaks : null
    const isAtEnd = broken?.kind === 'finish' || broken?.kind === 'file'
    const moment = incident === undefined || isAtEnd ? null : 5 + this.#dice.upTo(most - 5)
    this.#avoided = broken?.kind === 'order' ? broken.needs : null
    let at: number | null = null
    while (this.#calls < most || (moment !== null && at === null)) {
      if (incident !== undefined && moment !== null && at === null && this.#calls >= moment)
        at = this.#cause(incident)
      else this.#perform(this.#dice.pick(BAG))
    }
    const stoppedAt = this.#finish(broken)
    this.#record({ type: 'session.ended', data: { reason: 'completed' } })
    return { events: this.#recorder.log, incident: isAtEnd ? stoppedAt : at }
  }

  #record(body: EventBody): Recorded {
    const { session } = this.#settings
    const seq = this.#recorder.log.length + 1
    // The body of one type and the envelope make an event of this type.
    const event = { session, at: this.#at, ...body } as Omit<SessionEvent, 'seq'>
    const effects = this.#recorder.record(event)
    const isRefused = effects.some(
      ({ kind, data }) =>
        (kind === 'tool.decided' && data.decision === 'denied') ||
        (kind === 'stop.decided' && data.message !== null),
    )
    return { seq, isAllowed: !isRefused }
  }

  #file(path: string): FileFact {
    const version = this.#versions.get(path)
    if (version === undefined) return { exists: false }
    return { exists: true, kind: 'file', fingerprint: `sha256:${path}:${version}` }
  }

  #findFacts({ args }: ToolCall): { readonly facts?: Facts } {
    const { path } = args
    return typeof path === 'string' ? { facts: { files: { [path]: this.#file(path) } } } : {}
  }

  /** Returns the sequence number of the request. */
  #call(call: ToolCall, failing = FAILING): number {
    const { tool, args } = call
    this.#calls += 1
    this.#at += 400 + this.#dice.upTo(20_000)
    this.#calledAt.set(tool, [...(this.#calledAt.get(tool) ?? []), this.#at])
    const named = { call_id: `c${this.#calls}`, tool }
    const asked = { ...named, args, ...this.#findFacts(call) }
    const { seq, isAllowed } = this.#record({ type: 'tool.requested', data: asked })
    this.#at += 50 + this.#dice.upTo(3000)
    const isFailing = this.#dice.chance(
      tool === 'run_tests' && failing > 0 ? FAILING_TESTS : failing,
    )
    this.#end(call, { named, outcome: isAllowed ? (isFailing ? 'failure' : 'success') : 'denied' })
    return seq
  }

  #end(call: ToolCall, { named, outcome }: Ended): void {
    const { tool, args } = call
    const { path } = args
    if (outcome === 'success' && typeof path === 'string') {
      if (tool === 'write_file') this.#versions.set(path, (this.#versions.get(path) ?? 0) + 1)
      if (tool === 'write_file' || tool === 'read_file') this.#known.add(path)
    }
    const data = { ...named, outcome, ...this.#findFacts(call) }
    const { seq } = this.#record({ type: 'tool.invoked', data })
    if (outcome === 'success') this.#succeeded.set(tool, seq)
    if (outcome !== 'denied') this.#failedLast[outcome === 'success' ? 'delete' : 'add'](tool)
  }

  #isFresh(needs: string, since: string): boolean {
    return (this.#succeeded.get(needs) ?? 0) > (this.#succeeded.get(since) ?? 0)
  }

  /** True: the call would break the rule. */
  #isDue(rule: HiddenRule, { tool, args }: ToolCall): boolean {
    if (rule.kind === 'finish' || rule.kind === 'file' || rule.tool !== tool) return false
    switch (rule.kind) {
      case 'order':
        return !this.#succeeded.has(rule.needs)
      case 'fresh':
        return !this.#isFresh(rule.needs, rule.since)
      case 'read': {
        const path = String(args['path'])
        return this.#versions.has(path) && !this.#known.has(path)
      }
      case 'rate': {
        const since = this.#at - rule.seconds * 1000
        const times = this.#calledAt.get(tool) ?? []
        return times.filter((at) => at >= since).length >= rule.calls
      }
      case 'value':
        return !rule.values.includes(String(args[rule.argument]))
      default:
        return rule satisfies never
    }
  }

  /** Keeps every rule but `broken`, unless noise breaks it. Returns the sequence number of the request; null: the agent gave it up. */
  #perform(tool: Tool, { depth = 0, broken = null }: Depth = {}): number | null {
    if (depth > MOST_DEPTH || tool === this.#avoided) return null
    const kept = this.#listKept(broken)
    let call = { tool, args: this.#chooseArguments(tool) }
    while (broken?.kind === 'value' && !this.#isDue(broken, call))
      call = { tool, args: this.#chooseArguments(tool) }
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const due = kept.find((rule) => this.#isDue(rule, call))
      if (due === undefined) return this.#call(call, broken === null ? FAILING : 0)
      if (due.kind === 'rate') return null
      if (due.kind === 'value') call = { tool, args: this.#chooseArguments(tool) }
      else this.#prepare(due, call, depth + 1)
    }
    return null
  }

  #prepare(due: HiddenRule, { args }: ToolCall, depth: number): void {
    if (due.kind === 'read') this.#call({ tool: due.reader, args })
    else if (due.kind === 'order' || due.kind === 'fresh') this.#performNamed(due.needs, { depth })
  }

  #performNamed(name: string, depth?: Depth): number | null {
    return isTool(name) ? this.#perform(name, depth) : null
  }

  #chooseArguments(tool: Tool): JsonObject {
    const { pick, upTo } = this.#dice
    switch (tool) {
      case 'read_file':
      case 'write_file':
      case 'list_dir':
        return { path: pick(FILES) }
      case 'deploy':
        return { target: pick(TARGETS) }
      case 'refund':
        return { amount: 5 + upTo(200), currency: pick(CURRENCIES) }
      case 'bash':
        return { command: pick(COMMANDS) }
      case 'send_mail':
        return { to: pick(ADDRESSES) }
      case 'fetch_url':
        return { url: pick(PAGES) }
      case 'search':
        return { query: pick(WORDS) }
      default:
        return {}
    }
  }

  /** Returns the sequence number of the incident; null: this try did not cause it. */
  #cause(incident: Incident): number | null {
    if ('makes' in incident) return this.#call(incident.makes, 0)
    const { breaks: rule } = incident
    switch (rule.kind) {
      case 'order':
      case 'value':
        return this.#breakCall(rule)
      case 'fresh':
        if (!this.#succeeded.has(rule.needs)) this.#performNamed(rule.needs)
        this.#performNamed(rule.since)
        return this.#breakCall(rule)
      case 'read': {
        const path = FILES.find((file) => !this.#known.has(file))
        return path === undefined ? null : this.#call({ tool: rule.tool, args: { path } }, 0)
      }
      case 'rate': {
        this.#at += rule.seconds * 1000
        const args = isTool(rule.tool) ? this.#chooseArguments(rule.tool) : {}
        const burst = Array.from({ length: rule.calls + 3 }, () =>
          this.#call({ tool: rule.tool, args }, 0),
        )
        return burst[rule.calls] ?? null
      }
      default:
        return null
    }
  }

  #breakCall(
    rule: Extract<HiddenRule, { readonly kind: 'order' | 'fresh' | 'value' }>,
  ): number | null {
    const { tool } = rule
    if (!isTool(tool)) return null
    const seq = this.#perform(tool, { broken: rule })
    // What another rule made the agent call may have kept this one.
    return this.#isDue(rule, { tool, args: {} }) ? seq : null
  }

  /** Returns the sequence number of the first stop. */
  #finish(broken: HiddenRule | null): number {
    const kept = this.#listKept(broken)
    if (broken?.kind === 'finish')
      for (let tries = 0; tries < MOST_TRIES && !this.#isOpen(broken); tries++)
        this.#performNamed(broken.since)
    const first = this.#stop(kept)
    let last = first
    for (let stops = 1; stops < MOST_STOPS && !last.isAllowed; stops++)
      last = this.#stop(this.#settings.rules)
    return first.seq
  }

  #listKept(broken: HiddenRule | null): readonly HiddenRule[] {
    return this.#settings.rules.filter(
      (rule) => rule !== broken && !this.#dice.chance(this.#settings.noise),
    )
  }

  #stop(kept: readonly HiddenRule[]): Recorded {
    for (let tries = 0; tries < 4 * MOST_TRIES; tries++) {
      const open = kept.find((rule) => this.#isOpen(rule))
      if (open?.kind === 'file') this.#call({ tool: 'write_file', args: { path: open.file } }, 0)
      else if (open?.kind === 'finish') this.#performNamed(open.needs)
      else break
    }
    this.#at += 100
    const files = {
      'CHANGELOG.md': this.#file('CHANGELOG.md'),
      'README.md': this.#file('README.md'),
    }
    const stop = { via: 'turn_end', last_message: 'Done.', facts: { files } } as const
    return this.#record({ type: 'stop.attempted', data: stop })
  }

  /** True: a stop would break the rule. */
  #isOpen(rule: HiddenRule): boolean {
    if (rule.kind === 'file') return !this.#versions.has(rule.file)
    if (rule.kind !== 'finish') return false
    return this.#failedLast.has(rule.needs) || !this.#isFresh(rule.needs, rule.since)
  }
}

interface Depth {
  readonly depth?: number
  readonly broken?: HiddenRule | null
}

interface Ended {
  readonly named: { readonly call_id: string; readonly tool: string }
  readonly outcome: ToolOutcome
}

interface Recorded {
  readonly seq: number
  readonly isAllowed: boolean
}

function isTool(name: string): name is Tool {
  return Object.hasOwn(WISHES, name)
}
