import { type FakeClock, fakeClock } from '@signalbox/testkit'
import {
  createPromptSession,
  Deadline,
  FeedbackHistory,
  memoryWorkspace,
  Plan,
  Prompt,
  type PromptSession,
  type SessionSnapshot,
  type ToolExecution,
  type Workspace,
} from '../../index.ts'
import { finalState } from './final-state.ts'
import { givenPrompt, type Stage } from './given-prompt.ts'
import type { Answer, Answers, ReferenceLine, StepOf } from './reference-line.ts'

const START = Date.parse('2024-01-01T00:00:00Z')

export class AgentWorld {
  readonly clock: FakeClock
  readonly workspace: Workspace | null
  readonly deadline: Deadline | null
  readonly run: PromptSession
  readonly #line: ReferenceLine
  readonly #stage: Stage = { behavior: {}, handlerCalled: false, policyLog: [] }
  readonly #lines: string[] = []
  readonly #snapshots = new Map<string, SessionSnapshot>()
  /** The feedback pass after the last call. null: none since `feedback` was called. */
  #pass: { readonly text: string | null } | null = null

  /** Throws GuardrailError when the prompt is refused. */
  constructor(line: ReferenceLine) {
    this.#line = line
    const { filesystem, deadline, prompt } = line.given
    const agoMs = (deadline?.started_seconds_ago ?? 0) * 1000
    this.clock = fakeClock(START - agoMs)
    const { now } = this.clock
    this.workspace = filesystem.kind === 'none' ? null : memoryWorkspace(filesystem.files)
    this.deadline =
      deadline === undefined ? null : new Deadline(START + deadline.in_seconds * 1000, { now })
    this.run = createPromptSession(new Prompt(givenPrompt(prompt, this.#stage)), {
      now,
      onEvent: (text) => this.#lines.push(text),
      ...(this.workspace === null ? {} : { workspace: this.workspace }),
      ...(this.deadline === null ? {} : { deadline: this.deadline }),
    })
    // The work began before the first operation, as the line states.
    this.clock.advance(agoMs)
  }

  advance({ seconds }: StepOf<'advance'>): void {
    this.clock.advance(seconds * 1000)
  }

  /** Seconds of the reference's monotonic clock, which starts at 1000. */
  monotonic(): number {
    return (this.clock.now() - START) / 1000 + 1000
  }

  async tool({ name, params, behavior }: StepOf<'tool'>): Promise<Answer> {
    Object.assign(this.#stage, { behavior, handlerCalled: false })
    this.#stage.policyLog.length = 0
    const { result, feedback } = await this.#call(name, params)
    return {
      result: {
        text: result.message,
        is_error: !result.success,
        handler_called: this.#stage.handlerCalled,
        feedback,
      },
      policy_log: [...this.#stage.policyLog],
    }
  }

  async toolInvoked({ count }: StepOf<'tool_invoked'>): Promise<void> {
    for (let i = 0; i < count; i++) await this.#anyCall()
  }

  async feedback(): Promise<string | null> {
    if (this.#pass === null) await this.#anyCall()
    const text = this.#pass?.text ?? null
    this.#pass = null
    return text
  }

  async provide(): Promise<Answer['result']> {
    await this.#anyCall()
    const record = this.run.session.slice(FeedbackHistory).latest()
    if (record === null) return null
    const { providerName: provider_name, summary, suggestions, severity } = record
    return { provider_name, summary, suggestions: [...suggestions], severity, should_run: true }
  }

  plan({ steps }: StepOf<'plan'>): void {
    this.run.session.dispatch(Plan({ steps }))
  }

  snapshot({ as }: StepOf<'snapshot'>): void {
    this.#snapshots.set(as, this.run.session.snapshot())
  }

  restore({ from }: StepOf<'restore'>): void {
    this.run.session.restore(this.#snapshots.get(from))
  }

  async reset(): Promise<void> {
    await this.run.reset()
    this.#lines.length = 0
  }

  async finalState(): Promise<Answers['final_state']> {
    const { run, workspace } = this
    return finalState({ line: this.#line, run, workspace, lines: this.#lines })
  }

  #anyCall(): Promise<ToolExecution> {
    this.#stage.behavior = {}
    return this.#call(this.#line.given.prompt.tools[0] ?? 'none', {})
  }

  async #call(tool: string, args: object): Promise<ToolExecution> {
    const execution = await this.run.execute({ tool, args })
    this.#pass = { text: execution.feedback }
    return execution
  }
}
