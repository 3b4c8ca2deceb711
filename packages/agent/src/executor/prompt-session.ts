import { omitUndefined } from '@signalbox/core'
import type {
  FinalVerification,
  GuardedSession,
  Guardrails,
  StopAnswer,
  StopAttempt,
} from '@signalbox/runtime'
import type { OnDiagnostic } from '@signalbox/runtime/base'
import { describeError, GuardrailError } from '@signalbox/runtime/base'
import type { Prompt, RenderedPrompt } from '../prompt/prompt.ts'
import type { CompiledPrompt, PromptParameters } from '../prompt/prompt-template.ts'
import { resolveChecker } from '../prompt/resolve-checker.ts'
import { Resources } from '../prompt/resources.ts'
import type { AnyTool, ToolContext } from '../prompt/tool.ts'
import type { ToolResult } from '../prompt/tool-result.ts'
import { BudgetTracker, type Exhaustion, type TokenUsage } from '../state/budget.ts'
import {
  FeedbackHistory,
  PromptExecuted,
  PromptRendered,
  ToolInvoked,
} from '../state/built-in-slices.ts'
import type { Deadline } from '../state/deadline.ts'
import { Session } from '../state/session.ts'
import { CallBook, toLoggedJson } from './call-book.ts'
import { RuleContexts } from './rule-contexts.ts'
import { mirrorInto } from './session-mirror.ts'
import {
  effectiveDeadline,
  openGuarded,
  openGuardrails,
  type PromptSessionOptions,
} from './session-parts.ts'
import {
  type ParsedRequest,
  type ToolExecution,
  ToolExecutor,
  type ToolRequest,
} from './tool-executor.ts'
import type { CallScope } from './tool-run.ts'

/** A stop attempt. `via` absent: `turn_end`. */
export type PromptStop = Omit<StopAttempt, 'via'> & Partial<Pick<StopAttempt, 'via'>>

export interface PromptEnd {
  /** Absent: `completed`. */
  readonly reason?: 'completed' | 'failed' | 'aborted'
  readonly output?: unknown
  readonly error?: string
}

/** Throws GuardrailError `config_invalid`, which names the place, if the prompt's rules cannot be enforced. */
export function createPromptSession<Params extends object = PromptParameters, Output = string>(
  prompt: Prompt<Params, Output>,
  options: PromptSessionOptions = {},
): PromptSession<Params, Output> {
  return new PromptSession(prompt, options)
}

/** One run of a prompt, isolated from other sessions. No rollback affects deadlines, budgets or the history of guardrails. */
export class PromptSession<Params extends object = PromptParameters, Output = string> {
  readonly prompt: Prompt<Params, Output>
  readonly session: Session
  readonly deadline: Deadline | null
  /** null: no budget was given. */
  readonly budget: BudgetTracker | null
  readonly #options: PromptSessionOptions
  readonly #compiled: CompiledPrompt
  readonly #guardrails: Guardrails
  readonly #resources: Resources
  readonly #book: CallBook
  readonly #rules: RuleContexts
  readonly #executor: ToolExecutor
  readonly #report: OnDiagnostic
  readonly #now: () => number
  #guarded: GuardedSession
  #leave: () => void
  #ended = false

  constructor(prompt: Prompt<Params, Output>, options: PromptSessionOptions) {
    this.prompt = prompt
    this.#options = options
    this.#report = options.onDiagnostic ?? (() => undefined)
    this.#now = options.now ?? Date.now
    this.session = options.session ?? new Session({ onDiagnostic: this.#report })
    this.deadline = effectiveDeadline(options)
    this.budget = options.budget === undefined ? null : new BudgetTracker(options.budget)
    this.#resources = new Resources(options.resources)
    this.#compiled = this.#compile()
    this.#guardrails = openGuardrails(this.#compiled, options)
    this.#book = new CallBook({ session: this.session, promptName: prompt.name, now: this.#now })
    this.#rules = this.#ruleContexts()
    this.#executor = this.#toolExecutor()
    for (const slice of [...prompt.template.slices, ...BUILT_IN]) this.session.register(slice)
    this.#guarded = this.#open()
    this.#leave = this.#enter()
  }

  /** Guardrails of the session, for an adapter that calls them itself. */
  get guarded(): GuardedSession {
    return this.#guarded
  }

  get tools(): readonly AnyTool[] {
    return this.prompt.tools
  }

  /** Renders the prompt for the model and records it. Throws GuardrailError `prompt_invalid`. */
  render(): RenderedPrompt {
    const rendered = this.prompt.render()
    const { promptName, text } = rendered
    this.session.dispatch(PromptRendered({ promptName, text, at: this.#now() }))
    void this.#guarded.promptRendered(promptName)
    return rendered
  }

  execute(request: ToolRequest): Promise<ToolExecution> {
    return this.#executor.execute(request)
  }

  perform(request: ParsedRequest): Promise<ToolResult> {
    return this.#executor.perform(request)
  }

  /** Call this when the agent wants to stop; unless `allowed`, it must continue with `message`. Never rejects. */
  stop(attempt: PromptStop = {}): Promise<StopAnswer> {
    const stop = { via: 'turn_end' as const, ...attempt }
    return this.#rules.withOutput(stop.output, () => this.#guarded.beforeStop(stop))
  }

  /** Records usage, which replaces earlier usage of the same evaluation. Rejects with GuardrailError `invalid_value`. */
  async recordUsage(evaluationId: string, usage: TokenUsage): Promise<void> {
    this.budget?.record(evaluationId, usage)
    await this.#guarded.recordUsage({
      evaluation_id: evaluationId,
      input_tokens: usage.input,
      output_tokens: usage.output,
      ...omitUndefined({ total_tokens: usage.total }),
    })
  }

  /**
   * Ends the run; later calls are denied. Idempotent. Verifies a completed run again. Rejects only with PromptEvaluationError, phase
   * `response`, if `final_verification` is `error` and the task is not complete.
   */
  async end({ reason = 'completed', output, error }: PromptEnd = {}): Promise<FinalVerification> {
    if (this.#ended) return null
    this.#ended = true
    const promptName = this.prompt.name
    await this.#guarded.promptExecuted(promptName)
    let complete: boolean | null = null
    try {
      const verification = await this.#rules.withOutput(output, () =>
        this.#guarded.end({
          reason,
          ...omitUndefined({
            output: output === undefined ? undefined : toLoggedJson(output),
            error,
          }),
        }),
      )
      complete = verification?.allowed ?? null
      return verification
    } catch (failure) {
      complete = false
      throw failure
    } finally {
      this.#leave()
      const at = this.#now()
      this.session.dispatch(
        PromptExecuted({ promptName, output: toLoggedJson(output), complete, at }),
      )
    }
  }

  /** Starts over with the initial slices and new guardrail state. The recorded session ends as aborted. */
  async reset(): Promise<void> {
    await this.#guarded.end({ reason: 'aborted' })
    this.#leave()
    this.session.reset()
    this.#guarded = this.#open()
    this.#leave = this.#enter()
    this.#ended = false
  }

  #compile(): CompiledPrompt {
    const { template } = this.prompt
    if (this.#options.guardrails !== undefined) return template.compiled()
    const own = this.#options.taskCompletionChecker ?? null
    const checker = resolveChecker(this.prompt, own, this.#report)
    return checker === template.taskCompletionChecker
      ? template.compiled()
      : template.compileWith(checker)
  }

  #ruleContexts(): RuleContexts {
    return new RuleContexts({
      prompt: this.prompt,
      session: this.session,
      workspace: this.#options.workspace ?? null,
      deadline: this.deadline,
      resources: this.#resources,
      judge: this.#options.judge ?? null,
      book: this.#book,
      report: this.#report,
    })
  }

  #toolExecutor(): ToolExecutor {
    return new ToolExecutor({
      promptName: this.prompt.name,
      toolNamed: (name) => this.prompt.template.toolNamed(name),
      guarded: () => this.#guarded,
      session: this.session,
      workspace: this.#options.workspace ?? null,
      book: this.#book,
      createToolContext: (scope) => this.#toolContext(scope),
      exhaustion: () => this.#exhaustion(),
      succeeded: (scope, result) => this.#rules.succeeded(this.#compiled.policies, scope, result),
      now: this.#now,
      report: this.#report,
    })
  }

  #open(): GuardedSession {
    const { deadline } = this
    const { onEvent } = this.#options
    const mirror = mirrorInto({
      session: this.session,
      promptName: this.prompt.name,
      book: this.#book,
      budget: this.budget,
    })
    const show = (line: string) => {
      mirror(line)
      onEvent?.(line)
    }
    return openGuarded(this.#guardrails, this.#options, { deadline, onEvent: show })
  }

  #enter(): () => void {
    const guarded = this.#guarded
    const ends = this.#compiled.plans.map((plan) => {
      const latest = plan.latest(this.session)
      if (latest !== null) void guarded.updatePlan(latest.steps)
      return plan.observe(this.session, (changed) => guarded.updatePlan(changed?.steps ?? []))
    })
    ends.push(this.#compiled.host(guarded.id, this.#rules))
    return () => {
      for (const end of ends) end()
    }
  }

  #toolContext({ callId, signal, session, files }: CallScope): ToolContext {
    const { prompt, deadline, budget } = this
    return {
      prompt,
      session,
      resources: this.#resources,
      deadline,
      budget,
      callId,
      signal,
      beat: () => this.#beat(),
      get filesystem() {
        if (files !== null) return files
        const message = 'This session has no workspace. Pass one to createPromptSession.'
        throw new GuardrailError('bad_options', message)
      },
    }
  }

  #beat(): void {
    try {
      this.#options.heartbeat?.beat()
    } catch (error) {
      this.#report({ level: 'error', code: 'beat_failed', message: describeError(error) })
    }
  }

  #exhaustion(): Exhaustion | null {
    const { deadline } = this
    if (deadline?.passed) return { dimension: 'deadline', used: 0 - deadline.remaining(), limit: 0 }
    return this.budget?.check() ?? null
  }
}

const BUILT_IN = [ToolInvoked, PromptRendered, PromptExecuted, FeedbackHistory]
