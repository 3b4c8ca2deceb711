// Replays a policy that is being written over recorded calls. Nothing is stored.
import { type CompiledConfig, initialState, type SessionEvent, step } from '@signalbox/core'
import { FOLDED_EVENT_TYPES, ruleSentence } from '@signalbox/core/analysis'
import { celExpressions } from '@signalbox/core/expression'
import { compileChecked } from '@signalbox/core/lint'
import { parseConfigText } from '@signalbox/wire'
import { requireConfig } from '@/server/configs/configs.ts'
import type { ConfigReader } from '@/server/platform/auth/scope.ts'
import { listNewestPlaces, parsePiece, readReplayPage } from './replay-log.sql.ts'

const MOST_SESSIONS = 20
/** From the start of a session, because a state cannot begin later. */
const MOST_EVENTS = 500
const MOST_ROWS = 20

export interface TriedCall {
  readonly session: string
  /** The event that requests the call. */
  readonly seq: number
  readonly tool: string
  readonly result: 'allow' | 'deny' | 'error'
  readonly sentence: string
}

export interface TriedPolicy {
  readonly sessions: number
  /** Calls that the policy judges, by result. */
  readonly counts: { readonly [Result in TriedCall['result']]: number }
  /** Refused ones first, then the newest sessions; at most 20. */
  readonly calls: readonly TriedCall[]
}

interface PolicyToTry {
  readonly ns: string
  readonly key: string
  /** JSON of the policy. */
  readonly text: string
}

const expressions = celExpressions()

/** In shadow mode, because the recorded calls went on. Null: it is no policy that this build can evaluate. */
function compileAlone({ ns, key, text }: PolicyToTry): CompiledConfig | null {
  let policy: unknown
  try {
    policy = JSON.parse(text)
  } catch {
    return null
  }
  const policies = [Object.assign({}, policy, { mode: 'shadow' })]
  const parsed = parseConfigText(JSON.stringify({ schema_version: 1, ns, key, policies }))
  if (!parsed.ok) return null
  const compiled = compileChecked(parsed.document, { expressions })
  return compiled.ok ? compiled.config : null
}

function judgeCalls(config: CompiledConfig, events: readonly SessionEvent[]): readonly TriedCall[] {
  let state = initialState(config.promptName)
  return events.flatMap((event) => {
    const next = step(config, state, event)
    state = next.state
    return next.effects.flatMap((effect) => {
      if (effect.kind !== 'tool.decided') return []
      const { tool, rules } = effect.data
      return rules.map((rule) => ({
        ...{ session: event.session, seq: event.seq, tool },
        ...{ result: rule.result, sentence: ruleSentence(rule) },
      }))
    })
  })
}

/** Null: the policy is not complete, or of a type that only runtimes can evaluate. */
export async function tryPolicy(
  scope: ConfigReader,
  asked: PolicyToTry,
): Promise<TriedPolicy | null> {
  await requireConfig(scope, asked)
  const { projectId } = scope
  const config = compileAlone(asked)
  if (config === null) return null
  const places = await listNewestPlaces(projectId, asked, MOST_SESSIONS)
  const page = { types: FOLDED_EVENT_TYPES, after: 0, limit: MOST_EVENTS }
  const pieces = await readReplayPage(projectId, places, page)
  const logs = places
    .map(({ sessionId }) => pieces.filter(({ session }) => session === sessionId))
    .filter(({ length }) => length > 0)
  const calls = logs.flatMap((log) => judgeCalls(config, log.flatMap(parsePiece)))
  const [refused, allowed] = [
    calls.filter(({ result }) => result !== 'allow'),
    calls.filter(({ result }) => result === 'allow'),
  ]
  const deny = refused.filter(({ result }) => result === 'deny').length
  return {
    sessions: logs.length,
    counts: { allow: allowed.length, deny, error: refused.length - deny },
    calls: [...refused, ...allowed].slice(0, MOST_ROWS),
  }
}
