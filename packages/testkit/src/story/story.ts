// The same seed generates the same day, for any length.
import type { FileFact, PlanStep, StopVia, ToolOutcome } from '@signalbox/core'
import type { FakeClock } from './fake-clock.ts'
import { type Dice, dice } from './random.ts'

interface Call {
  readonly tool: string
  readonly args: { readonly [name: string]: string }
  readonly callId: string
}

interface Result extends Call {
  readonly outcome: ToolOutcome
  readonly output?: string
  readonly error?: string
  readonly durationMs: number
}

export interface StorySession {
  readonly state: { readonly seq: number }
  beforeToolCall(call: Call): Promise<{ readonly allowed: boolean }>
  afterToolCall(result: Result): Promise<unknown>
  updatePlan(steps: readonly PlanStep[]): Promise<void>
  recordUsage(usage: {
    readonly evaluation_id: string
    readonly input_tokens: number
    readonly output_tokens: number
  }): Promise<void>
  beforeStop(attempt: {
    readonly via: StopVia
    readonly output?: string
  }): Promise<{ readonly allowed: boolean }>
}

const AREAS = ['billing', 'tax', 'orders', 'mail', 'auth', 'reports'] as const
const NAMES = ['invoice', 'rounding', 'schedule', 'totals', 'export', 'limits', 'dates'] as const
const TASKS = [
  'Read the failing report',
  'Round half to even in totals',
  'Add the reverse-charge rate',
  'Cover it with tests',
  'Update the importer',
  'Clean up the fixtures',
  'Write the changelog entry',
  'Deploy to staging',
] as const
const COMMANDS = [
  'git status',
  'git diff --stat',
  'ls src',
  'git push --force origin main',
] as const
const MINUTE = 60_000

export class Story {
  readonly #dice: Dice
  readonly #clock: FakeClock
  readonly #files = new Map<string, number>()
  #calls = 0
  #evaluations = 0

  constructor({ seed, clock }: { readonly seed: number; readonly clock: FakeClock }) {
    this.#dice = dice(seed)
    this.#clock = clock
    for (const area of AREAS) for (const name of NAMES) this.#files.set(`src/${area}/${name}.py`, 1)
  }

  readonly files = {
    lookUp: async (path: string): Promise<FileFact> => {
      const version = this.#files.get(path)
      return version === undefined
        ? { exists: false }
        : { exists: true, kind: 'file', fingerprint: `sha256:${path}:${version}` }
    },
  }

  /** A turn ends with an allowed stop. */
  async tell(session: StorySession, events: number): Promise<void> {
    while (session.state.seq < events) {
      await this.#turn(session, events)
      this.#pass(this.#dice.chance(0.2) ? 20 * MINUTE : MINUTE)
    }
  }

  async #turn(session: StorySession, events: number): Promise<void> {
    const steps = TASKS.slice(0, 3 + this.#dice.upTo(TASKS.length - 2))
    const plan = (done: number): PlanStep[] =>
      steps.map((title, index) => ({
        id: `step-${index + 1}`,
        title,
        status: index < done ? 'done' : index === done ? 'in_progress' : 'pending',
      }))
    await session.updatePlan(plan(0))
    for (let done = 0; done < steps.length; done += 1) {
      await this.#step(session)
      if (this.#dice.chance(0.12)) await this.#stop(session)
      await session.updatePlan(plan(done + 1))
      if (session.state.seq > events + 200) return
    }
    await this.#finish(session)
  }

  async #step(session: StorySession): Promise<void> {
    await this.#think(session)
    for (let reads = 1 + this.#dice.upTo(4); reads > 0; reads -= 1) {
      await this.#call(session, 'read_file', { path: this.#path() })
    }
    if (this.#dice.chance(0.4)) await this.#call(session, 'bash', { command: this.#command() })
    await this.#write(session, this.#path())
    if (this.#dice.chance(0.5)) await this.#runTests(session)
    if (this.#dice.chance(0.15)) await this.#call(session, 'deploy', { target: 'staging' })
  }

  async #write(session: StorySession, path: string): Promise<void> {
    const written = await this.#call(session, 'write_file', { path })
    if (written) return
    await this.#call(session, 'read_file', { path })
    await this.#call(session, 'write_file', { path })
  }

  async #runTests(session: StorySession): Promise<void> {
    for (let tries = 0; tries < 4; tries += 1) {
      await this.#think(session)
      if (await this.#call(session, 'run_tests', { select: 'tests' })) return
    }
  }

  async #finish(session: StorySession): Promise<void> {
    const amends = [
      async () => void (await this.#write(session, 'CHANGELOG.md')),
      () => this.#runTests(session),
      async () => void (await this.#call(session, 'build', { target: 'all' })),
    ]
    for (let tries = 0; tries < 12; tries += 1) {
      const output = tries > 2 ? 'Totals round half to even, and the tests say so.' : ''
      if (await this.#stop(session, output)) return
      await amends[tries % amends.length]?.()
    }
  }

  async #stop(session: StorySession, output = ''): Promise<boolean> {
    this.#pass(400)
    const { allowed } = await session.beforeStop({ via: 'turn_end', output })
    return allowed
  }

  /** True: the tool ran and succeeded. */
  async #call(session: StorySession, tool: string, args: Call['args']): Promise<boolean> {
    this.#calls += 1
    const call = { tool, args, callId: `call_${this.#calls}` }
    this.#pass(200 + this.#dice.upTo(3_000))
    const { allowed } = await session.beforeToolCall(call)
    if (!allowed) return false
    const durationMs = tool === 'run_tests' ? 4_000 + this.#dice.upTo(60_000) : this.#dice.upTo(90)
    this.#pass(durationMs)
    const failed = this.#dice.chance(FAILING[tool] ?? 0.01)
    const path = args['path']
    if (tool === 'write_file' && path !== undefined && !failed)
      this.#files.set(path, (this.#files.get(path) ?? 0) + 1)
    await session.afterToolCall({
      ...call,
      durationMs,
      ...(failed
        ? { outcome: 'failure', error: `${tool} ended with status 1` }
        : { outcome: 'success', output: `${tool} is done` }),
    })
    return !failed
  }

  async #think(session: StorySession): Promise<void> {
    this.#evaluations += 1
    this.#pass(1_000 + this.#dice.upTo(8_000))
    await session.recordUsage({
      evaluation_id: `eval_${this.#evaluations}`,
      input_tokens: 2_000 + this.#dice.upTo(9_000),
      output_tokens: 50 + this.#dice.upTo(900),
    })
  }

  #path(): string {
    return `src/${this.#dice.pick(AREAS)}/${this.#dice.pick(NAMES)}.py`
  }

  #command(): string {
    return this.#dice.pick(COMMANDS)
  }

  #pass(ms: number): void {
    this.#clock.advance(ms)
  }
}

/** Failure rate of a tool; 0.01 for all others. */
const FAILING: { readonly [tool: string]: number } = { run_tests: 0.35, build: 0.1 }
