// The sessions of an agent server: opened by a client's own key, found by their id, continued after a kill from journal and record.
import fs from 'node:fs'
import path from 'node:path'
import { type JsonObject, omitUndefined } from '@signalbox/core'
import { type AgentBody, computeDigest, type OpenedSession, OverriddenStop } from '@signalbox/wire'
import type { OnDiagnostic } from '../base/diagnostic.ts'
import { describeError } from '../base/guardrail-error.ts'
import type { HookKey } from '../harness/hook-host.ts'
import { readCapabilities } from '../session/harness-capabilities.ts'
import type { GuardedSession } from '../session/session.ts'
import type { SessionOptions } from '../session/session-options.ts'
import { AgentProblem } from './agent-problem.ts'
import { AgentSession, type AgentSessionParts } from './agent-session.ts'
import { AskedFiles } from './asked-files.ts'
import { type Opening, type ReadRecord, readRecord, SessionRecord } from './session-record.ts'
import { SessionWatch } from './session-watch.ts'
import { hasSharedRoot, isBelowRoot } from './shared-root.ts'

/** A prompt that clients may open. */
export interface AgentPrompt {
  /** Opens a session, or continues the one with this key from its journal. Rejects if there is a journal that cannot be continued. */
  readonly open: (key: HookKey, options: SessionOptions) => Promise<GuardedSession>
  /** Called when the end of a session is recorded. Absent: there is nothing to clean up. */
  readonly onEnd?: (key: HookKey) => void
  readonly startupPolicy: OpenedSession['startup_policy']
  /** Address of the control plane; null: there is none. */
  readonly url: string | null
}

export interface AgentServerOptions {
  /** By `ns/key`. No other prompt can be opened. */
  readonly prompts: ReadonlyMap<string, AgentPrompt>
  /** Absolute folders. A client's workspace lies below one of them. */
  readonly roots: readonly string[]
  /** Folder for what the next process needs to continue sessions; it exists. null: sessions end with this process. */
  readonly folder: string | null
  /** Folder in which clients report the stops that they let through while no server answered. Absent: it is not read. */
  readonly overridden?: string
  /** Absent: 1,000 sessions at a time. */
  readonly maxSessions?: number
  /** Longest time for which a repeated request is held, milliseconds. Absent: 20,000. */
  readonly holdMs?: number
  readonly onDiagnostic?: OnDiagnostic
}

export interface Caller {
  /** Name that is the same in the next process. */
  readonly owner: string
  /** Prompts that this caller may open; null: all. */
  readonly prompts: readonly string[] | null
  /** The caller is on this machine and may share a folder with this process. */
  readonly mayShare: boolean
}

const MAX_SESSIONS = 1000
const HOLD_MS = 20_000
/** Ended sessions whose repeated end is still answered. */
const MAX_ENDED = 1000
/** Reports about unknown sessions are kept for this time: another server of this user may know them. */
const OVERRIDDEN_MS = 7 * 24 * 3_600_000
const SUFFIX = '.session'
const UNKNOWN = 'There is no such session, or it has ended.'
const BROKEN = 'The session cannot be opened or continued here.'

interface Beginning {
  readonly body: AgentBody<'sessions'>
  readonly owner: string
  readonly digest: string
  readonly isShared: boolean
}

export class AgentSessions {
  readonly #options: AgentServerOptions
  /** By owner, prompt and the client's key. */
  readonly #byKey = new Map<string, Promise<AgentSession>>()
  readonly #byId = new Map<string, AgentSession>()
  /** Sessions of earlier processes that no request has named yet. */
  readonly #left: Set<string>
  /** Ids of the sessions in `#left` by their keys, also of those that were continued since; null: not needed yet. */
  #leftByKey: ReadonlyMap<string, string> | null = null
  /** Answers to the ends of ended sessions, oldest first, by owner and id. */
  readonly #ended = new Map<string, JsonObject>()
  /** Each report is read once at a time, so that it is recorded once. */
  #reading: Promise<void> = Promise.resolve()

  constructor(options: AgentServerOptions) {
    this.#options = options
    const names = options.folder === null ? [] : fs.readdirSync(options.folder)
    this.#left = new Set(
      names.filter((name) => name.endsWith(SUFFIX)).map((name) => name.slice(0, -SUFFIX.length)),
    )
  }

  /** Number of sessions that have not ended. */
  get size(): number {
    return this.#byKey.size + this.#left.size
  }

  /** Rejects with AgentProblem. */
  async open(body: AgentBody<'sessions'>, caller: Caller): Promise<OpenedSession> {
    const { prompt, workspace_root: root, root_nonce: nonce, deadline_at: _, ...rest } = body
    const { roots, maxSessions = MAX_SESSIONS } = this.#options
    if (!this.#options.prompts.has(prompt) || !mayOpen(caller, prompt))
      throw new AgentProblem(
        'prompt_forbidden',
        `The prompt "${prompt}" cannot be opened here. Start the daemon with --prompt ${prompt}, or use a token that may open it.`,
      )
    if (root !== undefined && !(path.isAbsolute(root) && isBelowRoot(path.resolve(root), roots)))
      throw new AgentProblem(
        'root_forbidden',
        `The workspace_root "${root}" is not an absolute path below a --root of the daemon. Start the daemon with --root and a folder that contains it.`,
      )
    const { owner, mayShare } = caller
    // The nonce proves something once, and is another one in a repetition; a restarted client computes another deadline.
    const digest = computeDigest({ prompt, root, ...rest })
    const key = toKey(owner, body)
    let opening = this.#byKey.get(key)
    if (opening === undefined) {
      if (this.size >= maxSessions && !this.#isLeft(key))
        throw new AgentProblem('sessions_full', `${maxSessions} sessions are open. End some first.`)
      opening = this.#keep(key, async () => {
        const isShared =
          mayShare &&
          root !== undefined &&
          nonce !== undefined &&
          (await hasSharedRoot(root, nonce, roots))
        return this.#begin({ body, owner, digest, isShared })
      })
    }
    const session = await opening
    if (session.opening.digest !== digest)
      throw new AgentProblem('other_body', 'Another body was sent with this session_key.')
    session.seenAt = Date.now()
    return session.opening.answer
  }

  /** Rejects with AgentProblem when there is none, another caller opened it, or the caller may no longer open its prompt. */
  async find(id: string, caller: Caller): Promise<AgentSession> {
    const { owner } = caller
    const session = await this.#load(id, owner)
    if (session?.opening.owner !== owner || !mayOpen(caller, session.opening.body.prompt))
      throw new AgentProblem('session_unknown', UNKNOWN)
    session.seenAt = Date.now()
    return session
  }

  /** Answer to the end of a session that has ended; null: it is not known. */
  findEnd(id: string, owner: string): JsonObject | null {
    return this.#ended.get(toEndKey(id, owner)) ?? null
  }

  /** Ends the sessions without a request since `before` (epoch milliseconds), as aborted. */
  async endIdle(before: number): Promise<void> {
    await this.readOverridden()
    for (const id of [...this.#left].filter((each) => this.#readTime(each) < before)) {
      const session = await this.#load(id, null).catch(() => null)
      if (session === null) this.#drop(id)
      else session.seenAt = 0
    }
    for (const session of this.#byId.values())
      if (session.seenAt < before) await this.#abort(session)
  }

  /** Never rejects: the others end even when this session cannot. */
  async #abort(session: AgentSession): Promise<void> {
    try {
      await session.end({ reason: 'aborted' }).decided
    } catch (error) {
      this.#report('idle_not_ended', describeError(error))
    }
  }

  /** Keeps the record of a session that cannot be continued under another name, so that it is reported once. */
  #drop(id: string): void {
    const file = this.#recordFile(id)
    if (this.#left.delete(id) && file !== null) fs.renameSync(file, `${file}.broken`)
  }

  /** Records the stops that clients let through while no server answered, and removes each file that was recorded. */
  readOverridden(): Promise<void> {
    const { overridden: folder } = this.#options
    if (folder === undefined || !fs.existsSync(folder)) return this.#reading
    const read = this.#reading.then(() => this.#recordOverridden(folder))
    this.#reading = read.catch(() => undefined)
    return read
  }

  async #recordOverridden(folder: string): Promise<void> {
    for (const name of fs.readdirSync(folder).filter((each) => each.endsWith('.json'))) {
      const file = path.join(folder, name)
      try {
        const { session, at, reason } = OverriddenStop.parse(
          JSON.parse(fs.readFileSync(file, 'utf8')),
        )
        const found = await this.#load(session, null)
        if (found === null) throw new Error(`The session ${session} is not known here.`)
        await found.overridden(
          `${reason} (reported by the client at ${new Date(at).toISOString()})`,
        )
        fs.rmSync(file)
      } catch (error) {
        const stat = fs.statSync(file, { throwIfNoEntry: false })
        if (stat === undefined || stat.mtimeMs > Date.now() - OVERRIDDEN_MS) continue
        fs.rmSync(file, { force: true })
        this.#report('override_not_recorded', `${file}: ${describeError(error)}`)
      }
    }
  }

  /** Leaves sessions open; the next process continues them. */
  close(): void {
    for (const session of this.#byId.values()) session.leave()
  }

  /** True for a session of an earlier process, which is counted already. */
  #isLeft(key: string): boolean {
    this.#leftByKey ??= new Map([...this.#left].flatMap((id) => this.#readKey(id)))
    const id = this.#leftByKey.get(key)
    return id !== undefined && this.#left.has(id)
  }

  /** Empty for a record that cannot be continued. */
  #readKey(id: string): readonly (readonly [string, string])[] {
    try {
      const read = this.#read(id)
      return read === null ? [] : [[toKey(read.opening.owner, read.opening.body), id]]
    } catch {
      // Reported by #read.
      return []
    }
  }

  #keep(key: string, begin: () => Promise<AgentSession>): Promise<AgentSession> {
    const opening = begin()
    this.#byKey.set(key, opening)
    opening.catch(() => this.#byKey.delete(key))
    return opening
  }

  /** null: there is no such session, or `owner` did not open it. `owner` null: any. */
  async #load(id: string, owner: string | null): Promise<AgentSession | null> {
    const live = this.#byId.get(id)
    if (live !== undefined || !this.#left.has(id)) return live ?? null
    const read = this.#read(id)
    if (read === null || (owner !== null && read.opening.owner !== owner)) return null
    const { opening } = read
    const key = toKey(opening.owner, opening.body)
    const session = await (this.#byKey.get(key) ?? this.#keep(key, () => this.#begin(opening)))
    if (session.id === id) return session
    // Its journal is gone, so this is a new session that no client knows.
    await session.end({ reason: 'aborted' }).decided
    this.#drop(id)
    return null
  }

  /** Continues the record of an earlier process, or begins one. */
  async #record(
    id: string,
    begun: Opening,
  ): Promise<Pick<AgentSessionParts, 'opening' | 'kept' | 'record'>> {
    const file = this.#recordFile(id)
    if (file === null) return { opening: begun, kept: new Map(), record: null }
    const before = this.#read(id)
    const record = new SessionRecord(file)
    if (before !== null) return { ...before, record }
    record.append(begun)
    return { opening: begun, kept: new Map(), record }
  }

  /** Throws AgentProblem when the record is damaged. */
  #read(id: string): ReadRecord | null {
    const file = this.#recordFile(id)
    try {
      return file === null ? null : readRecord(file)
    } catch (error) {
      this.#report('record_damaged', `${file}: ${describeError(error)}`)
      throw new AgentProblem('session_broken', BROKEN)
    }
  }

  /** null: sessions end with this process. */
  #recordFile(id: string): string | null {
    const { folder } = this.#options
    return folder === null ? null : path.join(folder, `${id}${SUFFIX}`)
  }

  #readTime(id: string): number {
    const file = this.#recordFile(id)
    const stat = file === null ? undefined : fs.statSync(file, { throwIfNoEntry: false })
    return stat?.mtimeMs ?? 0
  }

  async #begin({ body, owner, digest, isShared }: Beginning): Promise<AgentSession> {
    const prompt = this.#options.prompts.get(body.prompt)
    if (prompt === undefined) throw new AgentProblem('session_unknown', UNKNOWN)
    const key = { harness: `agent:${owner}`, session: body.session_key }
    // A resumed session may report before it is open.
    let agent: AgentSession | null = null
    const notify = () => agent?.notify()
    const watch = new SessionWatch(notify)
    const files = isShared || body.workspace_root === undefined ? null : new AskedFiles(notify)
    const options = toSessionOptions(body)
    const session = await prompt
      .open(key, { ...options, ...(files === null ? {} : { files }), onEvent: watch.observe })
      .catch((error: unknown) => {
        this.#report('session_not_opened', describeError(error))
        throw new AgentProblem('session_broken', BROKEN)
      })
    const { id } = session
    const answer = { session: id, config: toConfig(session, watch), ...toPlace(prompt, id) }
    const recorded = await this.#record(id, { owner, digest, body, answer, isShared }).catch(
      async (error: unknown) => {
        // No client learns of this session, and its key must be free for the next one.
        await session.end({ reason: 'aborted' })
        prompt.onEnd?.(key)
        throw error
      },
    )
    agent = new AgentSession({
      ...recorded,
      session,
      capabilities: options.capabilities,
      watch,
      files,
      holdMs: this.#options.holdMs ?? HOLD_MS,
      onEnd: (ended) => {
        prompt.onEnd?.(key)
        this.#byId.delete(id)
        this.#byKey.delete(toKey(owner, body))
        this.#ended.set(toEndKey(id, owner), ended)
        const [oldest] = this.#ended.keys()
        if (this.#ended.size > MAX_ENDED && oldest !== undefined) this.#ended.delete(oldest)
      },
    })
    this.#byId.set(id, agent)
    this.#left.delete(id)
    return agent
  }

  #report(code: string, message: string): void {
    this.#options.onDiagnostic?.({ level: 'error', code, message })
  }
}

function mayOpen({ prompts }: Caller, prompt: string): boolean {
  return prompts === null || prompts.includes(prompt)
}

function toKey(owner: string, { prompt, session_key: key }: AgentBody<'sessions'>): string {
  return JSON.stringify([owner, prompt, key])
}

function toEndKey(id: string, owner: string): string {
  return `${owner}/${id}`
}

function toSessionOptions(body: AgentBody<'sessions'>) {
  const { agent, session_key: key, workspace_root: workspaceRoot } = body
  const capabilities = readCapabilities(body.capabilities)
  return {
    capabilities,
    channel: capabilities.inject,
    harness: { name: agent.framework ?? agent.language ?? 'agent' },
    tags: {
      agent: agent.name,
      ...omitUndefined({ 'agent.version': agent.version, 'agent.language': agent.language }),
      session_key: key,
      ...body.tags,
    },
    ...omitUndefined({
      workspaceRoot: workspaceRoot && path.resolve(workspaceRoot),
      deadlineAt: body.deadline_at,
      budget: body.budget,
      trace: body.trace,
    }),
  } satisfies SessionOptions
}

function toConfig(session: GuardedSession, { version }: SessionWatch): OpenedSession['config'] {
  const { config, state } = session
  if (config === null) return null
  return { version, digest: computeDigest(config), environment: state.environment ?? '' }
}

function toPlace({ startupPolicy, url }: AgentPrompt, id: string) {
  const page = url === null ? null : `${url.replace(/\/+$/, '')}/sessions/${id}`
  return { startup_policy: startupPolicy, url: page }
}
