import type {
  CompiledConfig,
  ConfigDocument,
  ContentDecision,
  EventOf,
  Facts,
  JsonObject,
  ReasonClass,
  RuleResult,
  SessionEvent,
  ToolDecision,
} from '@signalbox/core'
import {
  type AllowStep,
  allowSteps,
  callSentence,
  contentSentence,
  ruleSentence,
} from '@signalbox/core/analysis'
import { eventHash } from '@signalbox/wire'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { toLoggedEvent } from '@/server/sessions/log/logged-event.ts'
import { findFoldStart } from '@/server/sessions/log/session-fold.ts'
import { type LogPlace, readLog, readLogAt } from '@/server/sessions/log/session-log.sql.ts'
import { findRecordedEvent, type RecordedEvent } from '@/server/sessions/recorded-event.ts'
import type { SessionHead } from '@/server/sessions/session-head.sql.ts'
import { type ConfigInForce, findConfigInForce } from './config-in-force.sql.ts'
import { type ContentReport, loadContentReport } from './content-report.ts'
import { type FollowUp, readFollowUp } from './follow-up.ts'
import { type DocumentRule, documentRules } from './governing-rules.ts'
import { findDenialsBeside, type Neighbors } from './neighbors.sql.ts'
import { type Redaction, redactionsIn } from './redactions.ts'
import { listRuleFacts, type RuleFact } from './rule-facts.ts'
import { loadSameCalls, type SameCall } from './same-calls.ts'

export interface PolicyRow {
  readonly rule: string
  readonly pointer: string
  readonly type: string
  readonly mode: string
  /** `not_applicable`: the rule does not apply to this call. `not_evaluated`: it was not evaluated. `off`: it is switched off. */
  readonly result: RuleResult['result'] | 'not_applicable' | 'not_evaluated' | 'off'
  /** Reason code of the result; null: the rule was not evaluated. */
  readonly code: string | null
  readonly sentence: string
  /** The rule in words; null: the config is not known here. */
  readonly text: string | null
  /** `text` with the tools and the condition in place of the author's reason; null: `text` has them, or is null. */
  readonly fullText: string | null
  readonly reasonClass: ReasonClass | null
  readonly facts: readonly RuleFact[]
  readonly because: readonly number[]
}

/** `content`: on the result of a call. */
type Decided =
  | { readonly kind: 'call'; readonly decision: ToolDecision }
  | { readonly kind: 'content'; readonly decision: ContentDecision }

export type DecisionExplanation = Decided & {
  readonly id: string
  readonly session: SessionHead
  readonly seq: number
  readonly at: number
  readonly verdict: ToolDecision['decision'] | ContentDecision['verdict']
  readonly sentence: string
  /** Text that the agent got instead; null: none. */
  readonly message: string | null
  readonly request: {
    readonly seq: number
    readonly tool: string
    /** Tool name in the harness; null: as in `tool`. */
    readonly nativeTool: string | null
    readonly args: JsonObject
    readonly agent: string | null
    /** Null: the runtime recorded no look-up. */
    readonly files:
      | readonly { readonly path: string; readonly exists: boolean | 'unknown' }[]
      | null
    readonly facts?: Facts | undefined
    readonly redactions: readonly Redaction[]
  } | null
  readonly result: {
    readonly seq: number
    readonly outcome: string
    readonly durationMs: number | null
  } | null
  readonly rules: readonly PolicyRow[]
  readonly isConfigKnown: boolean
  /** Null: no rule inspected the arguments, or the result. */
  readonly content: ContentReport | null
  /** Empty for a result. */
  readonly allow: readonly AllowStep[]
  /** Reason classes of the denying rules, each once, the most severe first. */
  readonly reasonClasses: readonly ReasonClass[]
  /** Empty for a result. */
  readonly same: readonly SameCall[]
  readonly record: {
    readonly hash: string
    readonly isIntact: boolean
  }
  /** Version of the runtime's library; null: not recorded. */
  readonly sdk: string | null
  readonly beside: Neighbors
  readonly next: FollowUp
  readonly config: ConfigInForce | null
}

const NEIGHBORS = 500

async function readEventRange(
  place: LogPlace,
  range: {
    readonly from: number
    readonly to: number
    readonly type: string
    readonly newest?: true
  },
): Promise<readonly SessionEvent[]> {
  const rows = await readLog(place, {
    from: Math.max(1, range.from),
    to: range.to,
    limit: NEIGHBORS,
    types: [range.type],
    ...(range.newest ? { order: 'newest' as const } : {}),
  })
  return rows.map((row) => toLoggedEvent(place.sessionId, row))
}

async function findRequest(
  place: LogPlace,
  seq: number,
  callId: string,
): Promise<EventOf<'tool.requested'> | null> {
  const range = {
    from: seq - NEIGHBORS,
    to: seq - 1,
    type: 'tool.requested',
    newest: true,
  } as const
  for (const event of await readEventRange(place, range))
    if (event.type === 'tool.requested' && event.data.call_id === callId) return event
  return null
}

function toRequest(event: EventOf<'tool.requested'>): NonNullable<DecisionExplanation['request']> {
  const { tool, native_tool: nativeTool = null, args, agent = null, facts } = event.data
  const files =
    facts?.files === undefined
      ? null
      : Object.entries(facts.files).map(([path, { exists }]) => ({ path, exists }))
  const redactions = redactionsIn(args, '/args')
  return { seq: event.seq, tool, nativeTool, args, agent, files, facts, redactions }
}

/** A call is decided before its result is recorded, and the result after. */
async function findResult(
  place: LogPlace,
  seq: number,
  { kind, decision: { call_id: callId } }: Decided,
): Promise<EventOf<'tool.invoked'> | null> {
  const type = 'tool.invoked'
  const range =
    kind === 'call'
      ? { from: seq + 1, to: seq + NEIGHBORS, type }
      : { from: seq - NEIGHBORS, to: seq - 1, type, newest: true as const }
  for (const event of await readEventRange(place, range))
    if (event.type === 'tool.invoked' && event.data.call_id === callId) return event
  return null
}

function toResult(event: EventOf<'tool.invoked'>): DecisionExplanation['result'] {
  const { outcome, duration_ms: durationMs = null } = event.data
  return { seq: event.seq, outcome, durationMs }
}

interface Governing {
  readonly facts: Facts | undefined
  /** Null: the version that governed the call is not known. */
  readonly document: ConfigDocument | null
}

function recordedRow(
  result: RuleResult,
  known: DocumentRule | undefined,
  { facts, document }: Governing,
): PolicyRow {
  const { rule, pointer, type, mode, because } = result
  return {
    rule,
    pointer,
    type,
    mode,
    because,
    text: known?.text ?? null,
    fullText: known?.fullText ?? null,
    result: result.result,
    code: result.code,
    sentence: ruleSentence(result, document),
    reasonClass: result.reason_class ?? null,
    facts: listRuleFacts(result, facts),
  }
}

const SILENCE = {
  off: 'Switched off in this version',
  not_applicable: 'Does not apply to this call',
  not_evaluated: 'Not evaluated: the call was refused before any rule was evaluated',
} as const

function silentRow(
  { rule, pointer, type, mode, text, fullText }: DocumentRule,
  wasAsked: boolean,
): PolicyRow {
  const result = mode === 'off' ? 'off' : wasAsked ? 'not_applicable' : 'not_evaluated'
  return {
    rule,
    pointer,
    type,
    mode,
    text,
    fullText,
    result,
    code: null,
    sentence: SILENCE[result],
    reasonClass: null,
    facts: [],
    because: [],
  }
}

function policyRows(
  { kind, decision }: Decided,
  known: readonly DocumentRule[],
  governing: Governing,
): readonly PolicyRow[] {
  const findRule = (rule: string): DocumentRule | undefined =>
    known.find((candidate) => candidate.rule === rule)
  const answered = new Set(decision.rules.map(({ rule }) => rule))
  const wasAsked =
    kind === 'content' || decision.decision === 'allowed' || decision.rules.length > 0
  const on = kind === 'call' ? 'call' : 'result'
  const silent = known.filter((rule) => rule.on === on && !answered.has(rule.rule))
  return [
    ...decision.rules.map((result) => recordedRow(result, findRule(result.rule), governing)),
    ...silent.map((rule) => silentRow(rule, wasAsked)),
  ]
}

const CLASSES = ['could_not_evaluate', 'prerequisite_missing', 'rule_said_no'] as const

function listReasonClasses(
  { kind, decision }: Decided,
  digest: string | null,
): readonly ReasonClass[] {
  const { rules } = decision
  if (kind === 'call') {
    if (decision.decision === 'allowed') return []
    // The runtime refused without a rule, because it could not decide. Without a config there was nothing to evaluate.
    if (rules.length === 0) return digest === null ? [] : ['could_not_evaluate']
  }
  const denying = rules.filter(({ mode, result }) => mode === 'enforce' && result !== 'allow')
  return CLASSES.filter((name) => denying.some((rule) => rule.reason_class === name))
}

/** Without a config, the steps name what makes one apply, because no rule denied the call. */
function listAllowSteps(
  decision: ToolDecision,
  {
    session: { ns, key, environment },
    digest,
    document,
  }: {
    readonly session: SessionHead
    readonly digest: string | null
    readonly document: ConfigDocument | null
  },
): readonly AllowStep[] {
  if (decision.decision === 'allowed' || digest !== null) return allowSteps(decision, document)
  const text = `Publish a config of \`${ns}/${key}\` to ${environment}, or start the daemon with the prompt of another config`
  return [{ rule: '', text, owner: 'operator', call: null }]
}

async function loadSdk(place: LogPlace): Promise<string | null> {
  const [first] = await readLogAt(place, [1])
  const event = first === undefined ? null : toLoggedEvent(place.sessionId, first)
  return event?.type === 'session.started' ? (event.data.sdk ?? null) : null
}

interface Recorded extends RecordedEvent {
  readonly decided: Decided
}

function readDecided({ type, data }: SessionEvent): Decided | null {
  if (type === 'tool.decided') return { kind: 'call', decision: data }
  return type === 'content.decided' ? { kind: 'content', decision: data } : null
}

function readOutcome(
  { kind, decision }: Decided,
  document: ConfigDocument | null,
): Pick<DecisionExplanation, 'verdict' | 'sentence' | 'message'> {
  return kind === 'call'
    ? {
        verdict: decision.decision,
        sentence: callSentence(decision, document),
        message: decision.reason,
      }
    : { verdict: decision.verdict, sentence: contentSentence(decision), message: decision.text }
}

async function loadRecordedDecision(scope: ProjectScope, id: string): Promise<Recorded> {
  const found = id.startsWith('dec_') ? await findRecordedEvent(scope, id) : null
  const decided = found === null ? null : readDecided(found.event)
  if (found === null || decided === null)
    throw new ServiceError('not_found', `There is no decision ${id}.`)
  return { ...found, decided }
}

/** `digest`: of the version in the event, which may differ from the session's first version. */
async function configAt(
  projectId: AuthorizedProjectId,
  place: LogPlace,
  digest: string | null,
): Promise<CompiledConfig | null> {
  const start = await findFoldStart(projectId, place)
  if (digest === null || digest === start.digest) return digest === null ? null : start.config
  return await start.find(digest)
}

/** Rejects with `not_found` when the project has no such decision. */
export async function explainDecision(
  scope: ProjectScope,
  id: string,
): Promise<DecisionExplanation> {
  const { projectId } = scope
  const { session, place, row, event, decided } = await loadRecordedDecision(scope, id)
  const { kind, decision } = decided
  const digest = row.config ?? session.configDigest
  const [request, result, next, config, inForce, sdk, beside] = await Promise.all([
    findRequest(place, row.seq, decision.call_id),
    findResult(place, row.seq, decided),
    readFollowUp(place, row, session.maxSeq),
    digest === null ? null : findConfigInForce(projectId, digest, session.environment),
    configAt(projectId, place, digest),
    loadSdk(place),
    findDenialsBeside(projectId, { id, at: row.at }),
  ])
  const document = inForce?.document ?? null
  const known = document === null ? [] : documentRules(document)
  const isCall = kind === 'call'
  return {
    ...decided,
    ...readOutcome(decided, document),
    id,
    session,
    seq: row.seq,
    at: row.at,
    request: request === null ? null : toRequest(request),
    result: result === null ? null : toResult(result),
    rules: policyRows(decided, known, { facts: request?.data.facts, document }),
    isConfigKnown: inForce !== null,
    content: await loadContentReport(place, isCall ? request : result),
    allow: isCall ? listAllowSteps(decision, { session, digest, document }) : [],
    reasonClasses: listReasonClasses(decided, digest),
    same:
      request === null || !isCall
        ? []
        : await loadSameCalls(place, {
            seq: row.seq,
            tool: request.data.tool,
            args: request.data.args,
            canonicalTool: decision.tool,
          }),
    record: { hash: row.hash, isIntact: eventHash(event) === row.hash },
    sdk,
    beside,
    next,
    config,
  }
}
