// Answers the hooks of any number of sessions: one HarnessSession for each, opened when it is first heard of. Whatever cannot be
// read or judged is refused in the harness's own words.
import path from 'node:path'
import type { EnforcementLapse, JsonObject } from '@signalbox/core'
import type { OnDiagnostic } from '../diagnostic.ts'
import { messageOf } from '../guardrail-error.ts'
import type { SessionOptions } from '../guardrails.ts'
import type { GuardedSession } from '../session.ts'
import { answerTo } from './answer-to.ts'
import type { HarnessProfile } from './harness-profile.ts'
import { HarnessSession, profileOptions } from './harness-session.ts'
import type { HookAnswer, HookHarness, HookInput } from './hook-harness.ts'

/** Which session a hook is about. */
export interface HookKey {
  readonly harness: string
  /** The harness's own id. */
  readonly session: string
}

export interface HookHostOptions {
  /** Opens the session that a hook is the first of. May wait until a config is in force. */
  readonly open: (key: HookKey, options: SessionOptions) => Promise<GuardedSession> | GuardedSession
  /** Told when a session is over, however it ended. */
  readonly onEnd?: (key: HookKey) => void
  readonly onDiagnostic?: OnDiagnostic
  /** Epoch milliseconds. Absent: the system clock. */
  readonly now?: () => number
}

export interface HookContext {
  /** Of the harness. null: not known. */
  readonly version: string | null
  /** W3C traceparent of the request. Absent: none. */
  readonly trace?: string
  /** Aborted when nobody waits for the answer any more: what is allowed then does not happen. Absent: somebody waits. */
  readonly signal?: AbortSignal
}

interface Live {
  readonly key: HookKey
  readonly opened: Promise<HarnessSession>
  /** Epoch milliseconds of the last hook. */
  seenAt: number
  /** Hooks that are being answered. */
  busy: number
  readonly participants: Set<string>
  /** What was recorded at its beginning. */
  readonly profile: HarnessProfile
  /** It is recorded that calls are asked about in a way that promises less. */
  isWeaker: boolean
}

const UNREADABLE = 'The guardrails could not read this hook, so it is refused'
const UNDECIDED = 'The guardrails could not answer this hook, so it is refused'
const PASS: HookAnswer = { kind: 'pass' }
const UNASKED: EnforcementLapse = {
  code: 'hook_missing',
  detail: 'The session ended without asking whether its agent may stop.',
}

const WEAKER: EnforcementLapse = {
  code: 'unsupported_version',
  detail:
    'Calls are asked about in another way than the beginning of the session, by which a guard that fails lets them through.',
}

export class HookHost {
  readonly #options: HookHostOptions
  readonly #now: () => number
  readonly #live = new Map<string, Live>()

  constructor(options: HookHostOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  /** Sessions that have not ended. */
  get size(): number {
    return this.#live.size
  }

  /** The JSON for the harness; null: an empty answer. Never rejects. */
  async handle(
    harness: HookHarness,
    payload: unknown,
    context: HookContext,
  ): Promise<JsonObject | null> {
    let input: HookInput
    try {
      input = harness.read(payload)
    } catch (error) {
      return this.#refused(harness, payload, `${UNREADABLE}: ${messageOf(error)}`)
    }
    try {
      return harness.answer(input.event, await this.#answer(harness, input, context))
    } catch (error) {
      return this.#refused(harness, payload, `${UNDECIDED}: ${messageOf(error)}`)
    }
  }

  /** Ends the sessions that no hook was about since then (epoch milliseconds): completed where the agent had stopped, else aborted. */
  async endIdle(before: number): Promise<void> {
    const idle = [...this.#live.values()].filter(
      ({ busy, seenAt }) => busy === 0 && seenAt < before,
    )
    await Promise.all(idle.map((live) => this.#leave(live)))
  }

  /** Ends every session, as endIdle does. */
  async close(): Promise<void> {
    const all = [...this.#live.values()]
    await Promise.all(all.map((live) => this.#leave(live)))
  }

  async #answer(harness: HookHarness, input: HookInput, context: HookContext): Promise<HookAnswer> {
    if (input.event.kind === 'other') return PASS
    const live = this.#liveOf(harness, input, context)
    live.busy += 1
    try {
      await this.#compare(live, harness, { input, context })
      const answer = await this.#ask(live, input)
      const isNo = answer.kind === 'deny' || answer.kind === 'block'
      if (context.signal?.aborted === true && !isNo) await (await live.opened).unheard(input.event)
      return answer
    } finally {
      live.busy -= 1
      live.seenAt = this.#now()
    }
  }

  async #ask(live: Live, { event, learnt = {}, participant }: HookInput): Promise<HookAnswer> {
    const isEnd = event.kind === 'session_ended'
    if (participant !== undefined) {
      if (isEnd) live.participants.delete(participant)
      else live.participants.add(participant)
    }
    const session = await live.opened
    const told = await session.learn(learnt)
    if (!isEnd) return withText(await answerTo(session, event), told)
    if (live.participants.size > 0) return PASS
    const { output } = event
    const reason = event.reason === 'left' ? session.leftAs : event.reason
    if (reason === 'completed' && session.owesStop) await session.session.enforcementLapsed(UNASKED)
    await this.#end(live, { reason, ...(output === undefined ? {} : { output }) })
    return PASS
  }

  /** Hooks of one session may come in several ways: Claude asks about its beginning by a command, and about calls by http. */
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

  #liveOf(harness: HookHarness, input: HookInput, context: HookContext): Live {
    const { session, cwd } = input
    const key = { harness: harness.name, session }
    const id = JSON.stringify([key.harness, key.session])
    const known = this.#live.get(id)
    if (known !== undefined) return known
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
      isWeaker: false,
    }
    this.#live.set(id, live)
    // A session that could not be opened is tried again by its next hook.
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
      // Below a folder that nobody named in full, files would be looked up in this process's own.
      ...(cwd === null || !path.isAbsolute(cwd) ? {} : { workspaceRoot: cwd }),
      ...(context.trace === undefined ? {} : { trace: context.trace }),
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
      this.#report('session_not_ended', messageOf(error))
    }
    this.#options.onEnd?.(live.key)
  }

  #forget({ key }: Live): void {
    this.#live.delete(JSON.stringify([key.harness, key.session]))
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

/** Feedback on earlier calls goes with whatever is said now. */
function withText(answer: HookAnswer, text: string | null): HookAnswer {
  if (text === null) return answer
  switch (answer.kind) {
    case 'pass':
      return { kind: 'feedback', text }
    case 'feedback':
      return { kind: 'feedback', text: `${text}\n\n${answer.text}` }
    case 'deny':
      return { kind: 'deny', reason: `${answer.reason}\n\n${text}` }
    case 'block':
      return { kind: 'block', message: `${answer.message}\n\n${text}` }
    default:
      return answer satisfies never
  }
}
