// Replays a rule that is being written over recorded events. Nothing is stored.
import {
  type CheckStatus,
  type CompiledConfig,
  type ConfigDocument,
  type Effect,
  initialState,
  isJsonObject,
  type SessionEvent,
  step,
} from '@signalbox/core'
import {
  checkSentence,
  FOLDED_EVENT_TYPES,
  isHidden,
  ruleSentence,
  rulesWithoutFacts,
} from '@signalbox/core/analysis'
import { celExpressions } from '@signalbox/core/expression'
import { compileChecked } from '@signalbox/core/lint'
import { parseConfigText } from '@signalbox/wire'
import type { PromptName } from '@/server/configs/configs.sql.ts'
import { requireConfig } from '@/server/configs/configs.ts'
import type { ConfigReader } from '@/server/platform/auth/scope.ts'
import { listNewestPlaces, parsePiece, readReplayPage } from './replay-log.sql.ts'

const MOST_SESSIONS = 20
/** From the start of a session, because a state cannot begin later. */
const MOST_EVENTS = 500
const MOST_ROWS = 20
/** In each session. Names repeat, and calls can be large. */
const MOST_CALLS_FOR_NAMES = 50

export const TRIED_KINDS = ['policy', 'checker', 'feedback_provider'] as const
export type TriedKind = (typeof TRIED_KINDS)[number]

/** `acts`: denies, blocks or speaks. `unknown`: it needs a fact that the session did not record. */
export const TRIED_RESULTS = ['acts', 'error', 'unknown', 'passes'] as const
export type TriedResult = (typeof TRIED_RESULTS)[number]

export interface TriedEvent {
  readonly session: string
  /** The event that requests or ends the call, or the stop attempt. */
  readonly seq: number
  /** The call's tool; null: a stop attempt. */
  readonly tool: string | null
  readonly result: TriedResult
  readonly sentence: string
}

export interface TriedRule {
  readonly sessions: number
  /** Calls or stops that the rule judges, by result. A feedback provider has no `passes`. */
  readonly counts: { readonly [Result in TriedResult]: number }
  /** In the order of `TRIED_RESULTS`, then the newest sessions; at most 20. */
  readonly events: readonly TriedEvent[]
}

interface RuleToTry extends PromptName {
  readonly kind: TriedKind
  /** JSON of the rule. */
  readonly text: string
  /** The draft's other names for its tools. */
  readonly aliases: { readonly [name: string]: unknown }
}

const expressions = celExpressions()

/** In shadow mode, because the recorded calls went on. */
function placeRule(kind: TriedKind, rule: unknown): object {
  if (kind === 'checker') return { task_completion_checker: rule }
  const shadow = [Object.assign({}, rule, { mode: 'shadow' })]
  return kind === 'policy' ? { policies: shadow } : { feedback_providers: shadow }
}

/** Null: it is no rule that this build can evaluate. */
function compileAlone({ ns, key, kind, text, aliases }: RuleToTry): CompiledConfig | null {
  let rule: unknown
  try {
    rule = JSON.parse(text)
  } catch {
    return null
  }
  if (rule === null) return null
  const document = { schema_version: 1, ns, key, aliases, ...placeRule(kind, rule) }
  const parsed = parseConfigText(JSON.stringify(document))
  if (!parsed.ok) return null
  const compiled = compileChecked(parsed.document, { expressions })
  return compiled.ok ? compiled.config : null
}

const POLICY_RESULTS = { allow: 'passes', deny: 'acts', error: 'error' } as const

const CHECK_RESULTS: { readonly [Status in CheckStatus]: TriedResult | null } = {
  passed: 'passes',
  nothing_to_check: 'passes',
  incomplete: 'acts',
  error: 'error',
  not_evaluated: null,
  // With its deadline or budget used up, the session may stop whatever the check says.
  bypassed: null,
}

type Judged = Pick<TriedEvent, 'result' | 'sentence'>

function judgeEffect(effect: Effect, document: ConfigDocument): readonly Judged[] {
  switch (effect.kind) {
    case 'tool.decided':
      return effect.data.rules.map((rule) => ({
        result: POLICY_RESULTS[rule.result],
        sentence: ruleSentence(rule, document),
      }))
    case 'stop.decided': {
      const { check } = effect.data
      const result = check === null ? null : CHECK_RESULTS[check.status]
      return check === null || result === null ? [] : [{ result, sentence: checkSentence(check) }]
    }
    case 'feedback.delivered':
      return [{ result: 'acts', sentence: effect.data.summary }]
    case 'feedback.failed':
      return [{ result: 'error', sentence: effect.data.error }]
    default:
      return []
  }
}

const NOT_RECORDED: Judged = {
  result: 'unknown',
  sentence: 'It needs a fact that the session did not record',
}

/** A part of the input was removed from the log, so only a pass says something about what the agent did. */
function withholdGuess(event: SessionEvent, judged: Judged): Judged {
  return judged.result !== 'passes' && isHidden(event) ? NOT_RECORDED : judged
}

function judgeEvents(
  config: CompiledConfig,
  kind: TriedKind,
  events: readonly SessionEvent[],
): readonly TriedEvent[] {
  let state = initialState(config.promptName)
  let isUncertain = false
  return events.flatMap((event) => {
    const lacksFacts = rulesWithoutFacts(config, state, event).length > 0
    // Policies and triggers remember, for example which files were read; a check looks again each time.
    isUncertain = lacksFacts || (isUncertain && kind !== 'checker')
    const next = step(config, state, event)
    state = next.state
    const judged = next.effects.flatMap((effect) => judgeEffect(effect, config.document))
    // Without the fact, no one knows whether the provider would have spoken.
    const isSilent = judged.length === 0 && !(lacksFacts && kind === 'feedback_provider')
    if (isSilent) return []
    const { session, seq } = event
    const isCall = event.type === 'tool.requested' || event.type === 'tool.invoked'
    const tool = isCall ? event.data.tool : null
    const results = isUncertain ? [NOT_RECORDED] : judged.map((one) => withholdGuess(event, one))
    return results.map((result) => ({ session, seq, tool, ...result }))
  })
}

/** The final verification after a run is no attempt to stop. */
function isAttempt(event: SessionEvent): boolean {
  return event.type !== 'stop.attempted' || event.data.via !== 'final'
}

/** Events of the prompt's newest sessions, each session on its own. */
async function readNewestLogs(
  projectId: ConfigReader['projectId'],
  prompt: PromptName,
  { types, limit }: { readonly types: readonly string[]; readonly limit: number },
): Promise<readonly (readonly SessionEvent[])[]> {
  const places = await listNewestPlaces(projectId, prompt, MOST_SESSIONS)
  const page = { types, after: 0, limit }
  const pieces = await readReplayPage(projectId, places, page)
  return places
    .map(({ sessionId }) => pieces.filter(({ session }) => session === sessionId))
    .filter(({ length }) => length > 0)
    .map((log) => log.flatMap(parsePiece))
}

/** Names of the arguments of recorded calls, by tool. */
export async function listArgumentNames(
  scope: ConfigReader,
  prompt: PromptName,
): Promise<{ readonly [tool: string]: readonly string[] }> {
  await requireConfig(scope, prompt)
  const logs = await readNewestLogs(scope.projectId, prompt, {
    types: ['tool.requested'],
    limit: MOST_CALLS_FOR_NAMES,
  })
  const names = new Map<string, Set<string>>()
  for (const event of logs.flat()) {
    if (event.type !== 'tool.requested' || !isJsonObject(event.data.args)) continue
    const { tool, args } = event.data
    names.set(tool, new Set([...(names.get(tool) ?? []), ...Object.keys(args)]))
  }
  return Object.fromEntries([...names].map(([tool, found]) => [tool, [...found]]))
}

/** Null: the rule is not complete, or of a type that only runtimes can evaluate. */
export async function tryRule(scope: ConfigReader, asked: RuleToTry): Promise<TriedRule | null> {
  await requireConfig(scope, asked)
  const config = compileAlone(asked)
  if (config === null) return null
  const logs = await readNewestLogs(scope.projectId, asked, {
    types: FOLDED_EVENT_TYPES,
    limit: MOST_EVENTS,
  })
  const events = logs.flatMap((log) => judgeEvents(config, asked.kind, log.filter(isAttempt)))
  const select = (wanted: TriedResult) => events.filter(({ result }) => result === wanted)
  const count = (result: TriedResult) => select(result).length
  return {
    sessions: logs.length,
    counts: {
      ...{ acts: count('acts'), passes: count('passes') },
      ...{ error: count('error'), unknown: count('unknown') },
    },
    events: TRIED_RESULTS.flatMap(select).slice(0, MOST_ROWS),
  }
}
