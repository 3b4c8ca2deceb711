// One `query()` is one session. Hooks are evaluated in the host's process (specs/adapters/claude-agent-sdk.md). Every failure refuses.

import { isJsonObject } from '@signalbox/core'
import type {
  FinalVerification,
  GuardedSession,
  Guardrails,
  SessionEnd,
  SessionOptions,
} from '@signalbox/runtime'
import { answerTo, HarnessSession, type HookInput } from '@signalbox/runtime/harness'
import { type ClaudeHookAnswer, claudeByCallback } from '../claude-code/index.ts'
import type { ClaudeHookCallback, ClaudeHooks } from './sdk-types.ts'
import { TokenCount } from './token-count.ts'

export interface QueryGuardOptions {
  /** Options of the session that is opened. Without `workspaceRoot` or `files`, the workspace is the agent's working folder. */
  readonly session?: SessionOptions
  /** Version of the SDK, for the record. Absent: not known. */
  readonly version?: string
  /** Seconds that the SDK waits for a verdict, including an approval, before it refuses the call. Absent: 600. */
  readonly timeoutSeconds?: number
}

export interface QueryGuard {
  /** Value for the option `hooks` of `query()`. Append your own hooks to these lists. */
  readonly hooks: ClaudeHooks
  /** null: no hook was called yet. */
  readonly session: GuardedSession | null
  /** Counts tokens, and ends the session after the last message, as `end` does with the last result. Rejects as the query or `end` does. */
  follow<Message>(messages: AsyncIterable<Message>): AsyncGenerator<Message, void>
  /** Takes the SDK's result message; any other value ends the session as aborted. Rejects as GuardedSession.end does. */
  end(result: unknown): Promise<FinalVerification>
}

/** Guards one query. A HarnessSession that is shared must have been opened with `claudeByCallback.profile(version)`. */
export function guardQuery(
  guarded: Guardrails | HarnessSession,
  options: QueryGuardOptions = {},
): QueryGuard {
  return new Guard(guarded, options)
}

/** Time for the steps after an approval, or its absence, before the SDK's time-out. */
const MARGIN_SECONDS = 10
const UNREADABLE = 'The guardrails could not read this hook, so it is refused'
const UNDECIDED = 'The guardrails could not answer this hook, so it is refused'

class Guard implements QueryGuard {
  readonly hooks: ClaudeHooks
  readonly #guarded: Guardrails | HarnessSession
  readonly #options: QueryGuardOptions
  readonly #tokens = new TokenCount()
  #harness: HarnessSession | null

  constructor(guarded: Guardrails | HarnessSession, options: QueryGuardOptions) {
    this.#guarded = guarded
    this.#options = options
    this.#harness = guarded instanceof HarnessSession ? guarded : null
    this.hooks = createQueryHooks((input) => this.#answer(input), options.timeoutSeconds ?? 600)
  }

  get session(): GuardedSession | null {
    return this.#harness?.session ?? null
  }

  async *follow<Message>(messages: AsyncIterable<Message>): AsyncGenerator<Message, void> {
    let end: SessionEnd = { reason: 'aborted' }
    try {
      for await (const message of messages) {
        await this.#count(message)
        end = runEnd(message) ?? end
        yield message
      }
    } catch (error) {
      // The SDK throws the error of its result a second time.
      if (end.reason !== 'failed') end = { reason: 'failed', error: String(error) }
      throw error
    } finally {
      await this.#end(end)
    }
  }

  async end(result: unknown): Promise<FinalVerification> {
    await this.#count(result)
    return this.#end(runEnd(result) ?? { reason: 'aborted' })
  }

  async #end(end: SessionEnd): Promise<FinalVerification> {
    return (await this.#harness?.end(end)) ?? null
  }

  async #count(message: unknown): Promise<void> {
    const usage = this.#tokens.add(message)
    if (usage !== null) await this.session?.recordUsage(usage)
  }

  async #answer(payload: unknown): Promise<ClaudeHookAnswer> {
    let input: HookInput
    try {
      input = claudeByCallback.read(payload)
    } catch (error) {
      return refusal(payload, UNREADABLE, error)
    }
    const { event } = input
    try {
      if (event.kind === 'session_ended' || event.kind === 'other') return {}
      const answer = await answerTo(this.#harnessIn(input.cwd), event)
      return claudeByCallback.answer(event, answer) ?? {}
    } catch (error) {
      return refusal(payload, UNDECIDED, error)
    }
  }

  #harnessIn(cwd: string | null): HarnessSession {
    this.#harness ??= this.#open(cwd)
    return this.#harness
  }

  #open(cwd: string | null): HarnessSession {
    if (this.#guarded instanceof HarnessSession) return this.#guarded
    const { session = {}, version = null, timeoutSeconds } = this.#options
    const profile = claudeByCallback.profile(version)
    const capabilities =
      timeoutSeconds === undefined
        ? profile.capabilities
        : { ...profile.capabilities, approvalSeconds: Math.max(1, timeoutSeconds - MARGIN_SECONDS) }
    const placed = session.workspaceRoot !== undefined || session.files !== undefined
    return HarnessSession.open(
      this.#guarded,
      { ...profile, capabilities },
      {
        ...session,
        ...(placed || cwd === null ? {} : { workspaceRoot: cwd }),
      },
    )
  }
}

function refusal(payload: unknown, what: string, error: unknown): ClaudeHookAnswer {
  const why = error instanceof Error ? error.message : String(error)
  return claudeByCallback.refuse(payload, `${what}: ${why}.`) ?? {}
}

function createQueryHooks(callback: ClaudeHookCallback, timeout: number): ClaudeHooks {
  const hooks = () => [{ hooks: [callback], timeout }]
  return {
    UserPromptSubmit: hooks(),
    // Versions of Claude that do not know this option refuse to start.
    PreToolUse: [{ hooks: [callback], timeout, onFailure: 'block' }],
    PostToolUse: hooks(),
    PostToolUseFailure: hooks(),
    PostToolBatch: hooks(),
    Stop: hooks(),
    SubagentStop: hooks(),
  }
}

/** null: the message is not the end of a run. A run that reached its limit of turns or cost never attempted to stop, so it failed. */
export function runEnd(message: unknown): SessionEnd | null {
  if (!isJsonObject(message) || message['type'] !== 'result') return null
  const { subtype, is_error, result, structured_output, errors } = message
  if (subtype === 'success' && is_error !== true) {
    const output = structured_output ?? result
    return { reason: 'completed', ...(output === undefined ? {} : { output }) }
  }
  const said = Array.isArray(errors) ? errors.filter((error) => typeof error === 'string') : []
  const texts = [subtype === 'success' ? result : subtype, ...said]
  return {
    reason: 'failed',
    error: texts.filter((text) => typeof text === 'string' && text !== '').join(': '),
  }
}
