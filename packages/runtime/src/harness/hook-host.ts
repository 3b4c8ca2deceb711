import path from 'node:path'
import { type EnforcementLapse, type JsonObject, omitUndefined } from '@signalbox/core'
import type { OnDiagnostic } from '../base/diagnostic.ts'
import { describeError } from '../base/guardrail-error.ts'
import type { GuardedSession } from '../session/session.ts'
import type { SessionOptions } from '../session/session-options.ts'
import { answerTo } from './answer-to.ts'
import { EndedIds } from './ended-ids.ts'
import type { HarnessProfile } from './harness-profile.ts'
import { HarnessSession, profileOptions } from './harness-session.ts'
import type { HookAnswer, HookHarness, HookInput } from './hook-harness.ts'

export interface HookKey {
  readonly harness: string
  readonly session: string
}

export interface HookHostOptions {
  /** Opens a session at its first hook. May wait until a config is in force. */
  readonly open: (key: HookKey, options: SessionOptions) => Promise<GuardedSession> | GuardedSession
  readonly onEnd?: (key: HookKey) => void
  readonly onDiagnostic?: OnDiagnostic
  /** Epoch milliseconds. Absent: the system clock. */
  readonly now?: () => number
}

export interface HookContext {
  /** Version of the harness. null: not known. */
  readonly version: string | null
  /** W3C traceparent of the request. Absent: none. */
  readonly trace?: string
  /** Aborts when no one waits for the answer any longer; an allowed call then does not run. Absent: the answer is awaited. */
  readonly signal?: AbortSignal
}

interface Live {
  readonly key: HookKey
  readonly opened: Promise<HarnessSession>
  /** Epoch milliseconds of the last hook. */
  seenAt: number
  busy: number
  readonly participants: Set<string>
  readonly profile: HarnessProfile
  /** Feedback that no answer could carry yet; null: none. */
  undelivered: string | null
  /** The session recorded that its calls now arrive by a hook with fewer guarantees. */
  isWeaker: boolean
}

const UNREADABLE = 'The guardrails could not read this hook, so it is refused'
const UNDECIDED = 'The guardrails could not answer this hook, so it is refused'
const PASS = { kind: 'pass' } as const satisfies HookAnswer
/** Most characters of undelivered feedback; the newest stay. Agents read no more. */
const MAX_UNDELIVERED = 20_000
const AFTERMATH: ReadonlySet<HookInput['event']['kind']> = new Set([
  'tool_finished',
  'batch_finished',
  'output_accepted',
  'session_ended',
])
const UNASKED: EnforcementLapse = {
  code: 'hook_missing',
  detail: 'The session ended, and its harness never asked whether the agent may stop.',
}

const WEAKER: EnforcementLapse = {
  code: 'unsupported_version',
  detail:
    'Calls now arrive by another kind of hook than at the start of the session. With this kind, a call goes ahead when the guard fails.',
}

/** A hook that cannot be parsed or evaluated is refused in the harness's format. */
export class HookHost {
  readonly #options: HookHostOptions
  readonly #now: () => number
  readonly #live = new Map<string, Live>()
  /** Ended sessions, so that late reports of their calls do not begin a new session. */
  readonly #over = new EndedIds()

  constructor(options: HookHostOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  get size(): number {
    return this.#live.size
  }

  /** Answers a hook with JSON for the harness; null: an empty answer. Never rejects. */
  async handle(
    harness: HookHarness,
    payload: unknown,
    context: HookContext,
  ): Promise<JsonObject | null> {
    let input: HookInput
    try {
      input = harness.read(payload)
    } catch (error) {
      return this.#refused(harness, payload, `${UNREADABLE}: ${describeError(error)}`)
    }
    try {
      return await this.#answer(harness, input, context)
    } catch (error) {
      return this.#refused(harness, payload, `${UNDECIDED}: ${describeError(error)}`)
    }
  }

  /** Ends the sessions without a hook since `before` (epoch milliseconds): completed if the agent had stopped, else aborted. */
  async endIdle(before: number): Promise<void> {
    const idle = [...this.#live.values()].filter(
      ({ busy, seenAt }) => busy === 0 && seenAt < before,
    )
    await Promise.all(idle.map((live) => this.#leave(live)))
  }

  async close(): Promise<void> {
    const all = [...this.#live.values()]
    await Promise.all(all.map((live) => this.#leave(live)))
  }

  async #answer(
    harness: HookHarness,
    input: HookInput,
    context: HookContext,
  ): Promise<JsonObject | null> {
    const { event } = input
    if (event.kind === 'other' || this.#isTooLate(harness, input))
      return harness.answer(event, PASS)
    const live = this.#findLive(harness, input, context)
    live.busy += 1
    try {
      await this.#compare(live, harness, { input, context })
      const answer = await this.#ask(live, input)
      const isNo = answer.kind === 'deny' || answer.kind === 'block'
      const isUnheard = context.signal?.aborted === true
      if (isUnheard && !isNo) await (await live.opened).unheard(event)
      return formatAnswer(live, answer, {
        isUnheard,
        format: (each) => harness.answer(event, each),
      })
    } finally {
      live.busy -= 1
      live.seenAt = this.#now()
    }
  }

  async #ask(live: Live, { event, learned = {}, participant }: HookInput): Promise<HookAnswer> {
    const isEnd = event.kind === 'session_ended'
    if (participant !== undefined) {
      if (isEnd) live.participants.delete(participant)
      else live.participants.add(participant)
    }
    const session = await live.opened
    keep(live, await session.learn(learned))
    if (!isEnd) return answerTo(session, event)
    if (live.participants.size > 0) return PASS
    const { output } = event
    const reason = event.reason === 'left' ? session.leftAs : event.reason
    if (reason === 'completed' && session.owesStop) await session.session.enforcementLapsed(UNASKED)
    await this.#end(live, { reason, ...omitUndefined({ output }) })
    return PASS
  }

  /** Hooks of one session may differ: Claude Code reports its start by a command, and calls by HTTP. */
  async #compare(
    live: Live,
    harness: HookHarness,
    { input, context }: { readonly input: HookInput; readonly context: HookContext },
  ): Promise<void> {
    if (live.isWeaker || input.event.kind !== 'tool_requested') return
    const version = context.version ?? input.version ?? live.profile.version ?? null
    if (!promisesLess(harness.profile(version), live.profile)) return
    live.isWeaker = true
    await (await live.opened).session.enforcementLapsed(WEAKER)
  }

  #findLive(harness: HookHarness, input: HookInput, context: HookContext): Live {
    const { session, cwd } = input
    const key = { harness: harness.name, session }
    const id = toHookKeyText(key)
    const known = this.#live.get(id)
    if (known !== undefined) return known
    this.#over.delete(id)
    const version = context.version ?? input.version ?? null
    const profile = harness.profile(version)
    const opened = this.#open(key, profile, { cwd, context })
    const live: Live = {
      key,
      opened,
      seenAt: this.#now(),
      busy: 0,
      participants: new Set(),
      profile,
      undelivered: null,
      isWeaker: false,
    }
    this.#live.set(id, live)
    // A session that could not be opened is opened again by its next hook.
    opened.catch(() => this.#forget(live))
    return live
  }

  async #open(
    key: HookKey,
    profile: HarnessProfile,
    { cwd, context }: { readonly cwd: string | null; readonly context: HookContext },
  ): Promise<HarnessSession> {
    const options = {
      ...profileOptions(profile),
      tags: { [`${key.harness}.session`]: key.session.slice(0, 1000) },
      // A relative folder would resolve against this process's own folder.
      ...(cwd === null || !path.isAbsolute(cwd) ? {} : { workspaceRoot: cwd }),
      ...omitUndefined({ trace: context.trace }),
    }
    return new HarnessSession(await this.#options.open(key, options), profile)
  }

  async #leave(live: Live): Promise<void> {
    const session = await live.opened.catch(() => null)
    await this.#end(live, { reason: session?.leftAs ?? 'aborted' })
  }

  async #end(live: Live, ended: Parameters<HarnessSession['end']>[0]): Promise<void> {
    this.#forget(live)
    try {
      const session = await live.opened
      await session.end(ended)
    } catch (error) {
      this.#report('session_not_ended', describeError(error))
    }
    this.#over.add(toHookKeyText(live.key))
    this.#options.onEnd?.(live.key)
  }

  #isTooLate(harness: HookHarness, { session, event }: HookInput): boolean {
    const id = toHookKeyText({ harness: harness.name, session })
    if (!AFTERMATH.has(event.kind) || this.#live.has(id) || !this.#over.has(id)) return false
    const message = `A ${event.kind} event of session ${session} arrived after the session ended.`
    this.#options.onDiagnostic?.({ level: 'info', code: 'hook_after_end', message })
    return true
  }

  #forget({ key }: Live): void {
    this.#live.delete(toHookKeyText(key))
  }

  #refused(harness: HookHarness, payload: unknown, reason: string): JsonObject | null {
    this.#report('hook_refused', reason)
    return harness.refuse(payload, `${reason}.`)
  }

  #report(code: string, message: string): void {
    this.#options.onDiagnostic?.({ level: 'error', code, message })
  }
}

function promisesLess({ capabilities: now }: HarnessProfile, { capabilities }: HarnessProfile) {
  const { onGuardCrash, onGuardTimeout } = capabilities
  return (
    (onGuardCrash === 'closed' && now.onGuardCrash === 'open') ||
    (onGuardTimeout === 'closed' && now.onGuardTimeout === 'open')
  )
}

function toHookKeyText({ harness, session }: HookKey): string {
  return JSON.stringify([harness, session])
}

function keep(live: Live, text: string | null): void {
  if (text === null) return
  live.undelivered = [live.undelivered, text].filter(Boolean).join('\n\n').slice(-MAX_UNDELIVERED)
}

interface AnswerFormat {
  readonly isUnheard: boolean
  readonly format: (answer: HookAnswer) => JsonObject | null
}

/** Answer with all undelivered feedback. Feedback that the answer cannot carry waits for the next one. */
function formatAnswer(
  live: Live,
  answer: HookAnswer,
  { isUnheard, format }: AnswerFormat,
): JsonObject | null {
  if (answer.kind === 'feedback') keep(live, answer.text)
  const rest = answer.kind === 'feedback' ? withoutText(answer) : answer
  const bare = format(rest)
  if (live.undelivered === null) return bare
  const whole = format(withText(rest, live.undelivered))
  if (!isUnheard && JSON.stringify(whole) !== JSON.stringify(bare)) live.undelivered = null
  return whole
}

function withoutText({ input, replaced }: Extract<HookAnswer, { readonly kind: 'feedback' }>) {
  return { kind: 'pass', ...omitUndefined({ input, replaced }) } as const
}

function withText(answer: Exclude<HookAnswer, { readonly kind: 'feedback' }>, text: string) {
  switch (answer.kind) {
    case 'pass':
      return { ...answer, kind: 'feedback', text } as const
    case 'deny':
      return { kind: 'deny', reason: `${answer.reason}\n\n${text}` } as const
    case 'block':
      return { kind: 'block', message: `${answer.message}\n\n${text}` } as const
    default:
      return answer satisfies never
  }
}
