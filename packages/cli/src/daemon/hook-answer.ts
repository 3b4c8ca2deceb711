import type { DaemonHooks, HookWay } from '@signalbox/adapters'
import { isJsonObject, type JsonObject } from '@signalbox/core'
import type { HookHost } from '@signalbox/runtime/harness'

export interface HookParts {
  readonly host: Pick<HookHost, 'handle'>
  readonly harnesses: ReadonlyMap<string, DaemonHooks>
  /** Below the time-outs of shims and harnesses. Called again at the limit: the session that the hook opened may allow more. */
  readonly limitMs: () => number
}

export interface Hook {
  readonly harness: DaemonHooks
  readonly way: HookWay
  /** null: above `MAX_BODY_BYTES`. */
  readonly body: Buffer | null
  /** Version of the harness from its settings; empty or null: they do not contain it. */
  readonly version: string | null
  readonly agent: string | null
  readonly trace: string | null
  readonly gone: AbortController
}

export interface HookReply {
  /** 400: the hook cannot be parsed, so the shim refuses in the way that works for every event. */
  readonly status: 200 | 400
  readonly json: JsonObject
}

/** A file that an agent read is sent back in a hook as a whole. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024
/** A hook with this field belongs to no session: it tests that a refusal reaches the harness. */
export const CANARY = 'signalbox_canary'
export const CANARY_REFUSED = 'The canary of signalbox doctor is refused, as expected.'

const TOO_LATE = 'The guardrails did not answer in time, so this is refused.'
const TOO_LARGE = 'The hook is larger than 32 MiB, so it is refused.'
const NOT_JSON = 'The hook did not send JSON, so it is refused.'

export async function answerHook(parts: HookParts, hook: Hook): Promise<HookReply> {
  const { value, problem } = parseHookPayload(hook.body)
  if (problem !== null) return unreadable(hook, problem)
  if (isJsonObject(value) && value[CANARY] === true) return refused(hook, value, CANARY_REFUSED)
  const { harness, agent, trace, gone } = hook
  const version = hook.version || harness.versionFrom(agent)
  const answered = parts.host.handle(harness.hooks(hook.way), value, {
    signal: gone.signal,
    version: version === '' ? null : version,
    ...(trace === null ? {} : { trace }),
  })
  const answer = await inTime(parts.limitMs, answered)
  if (answer !== 'too late') return { status: 200, json: answer ?? {} }
  gone.abort()
  return refused(hook, value, TOO_LATE)
}

export function refuseHook(
  hook: Pick<Hook, 'harness' | 'way' | 'body'>,
  reason: string,
): HookReply {
  const { value, problem } = parseHookPayload(hook.body)
  return problem === null ? refused(hook, value, reason) : unreadable(hook, problem)
}

function refused(
  { harness, way }: Pick<Hook, 'harness' | 'way'>,
  payload: unknown,
  reason: string,
): HookReply {
  return { status: 200, json: harness.hooks(way).refuse(payload, reason) ?? {} }
}

function unreadable(hook: Pick<Hook, 'harness' | 'way'>, problem: string): HookReply {
  return { ...refused(hook, null, problem), status: hook.way === 'command' ? 400 : 200 }
}

interface Payload {
  readonly value: unknown
  /** Reason why it cannot be evaluated; null: it can. */
  readonly problem: string | null
}

function parseHookPayload(body: Buffer | null): Payload {
  if (body === null) return { value: null, problem: TOO_LARGE }
  try {
    return { value: JSON.parse(body.toString('utf8')), problem: null }
  } catch {
    return { value: null, problem: NOT_JSON }
  }
}

async function inTime<Result>(
  limitMs: () => number,
  work: Promise<Result>,
): Promise<Result | 'too late'> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'too late'>((resolve) => {
    const wait = (waited: number) => {
      const limit = limitMs()
      if (limit <= waited) resolve('too late')
      else timer = setTimeout(() => wait(limit), limit - waited)
    }
    wait(0)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
