// Immutable: `step` derives the next state. The cost of lookups and updates does not depend on the length of the session.
import type { RuleResult } from './effect.ts'
import type { BudgetLimits, PlanStep, SessionControlled, ToolOutcome } from './event.ts'
import { emptyMap, getIn, type PersistentMap } from './persistent-map.ts'
import { FIRST_SEMANTICS } from './semantics.ts'

export interface Usage {
  readonly input: number
  readonly output: number
  readonly total: number
}

export interface PendingCall {
  readonly seq: number
  readonly tool: string
  /** Path arguments in normal form, with the key of each form that found one (kinds/policies/path-argument.ts). */
  readonly paths: readonly { readonly form: string; readonly path: string }[]
  /** True also while there is no decision. */
  readonly denied: boolean
  /** null: the call does not wait for a reviewer. */
  readonly approval: PendingApproval | null
  /** Warnings about the arguments, delivered when the call ends. Absent: none. */
  readonly warned?: readonly RuleResult[]
}

export interface PendingApproval {
  readonly expiresAt: number
  /** Results of the other rules at the time of the request; together they allowed the call. */
  readonly rules: readonly RuleResult[]
}

export interface ToolTally {
  readonly calls: number
  readonly succeeded: number
  /** Ended as `failure` or `invalid`. */
  readonly failed: number
  readonly denied: number
  /** Outcome of the last call that ran; null: none ran. A success without an allowed request is `unknown`. */
  readonly last: Extract<ToolOutcome, 'success' | 'failure' | 'unknown'> | null
  /** Sequence number of the end of that call; null: none ran. */
  readonly lastSeq: number | null
  /** Sequence number of the last success; null: none. */
  readonly successSeq: number | null
}

/** The last allowed calls under one rate limit: a ring of `max_calls` slots. */
export interface RateWindow {
  /** Number of calls ever admitted; the newest is in slot `(admitted - 1) mod max_calls`. */
  readonly admitted: number
  readonly ring: PersistentMap<{ readonly seq: number; readonly at: number }>
}

export interface Repetition {
  readonly call: string
  readonly times: number
}

export interface ReadMark {
  readonly seq: number
  /** null: the content was not known at the time of the read. */
  readonly fingerprint: string | null
}

export interface ProviderState {
  readonly callsAtDelivery: number
  readonly deliveredAt: number | null
  readonly deliveredSeq: number | null
  readonly deliveries: number
}

export interface PromptState {
  readonly calls: number
  readonly providers: PersistentMap<ProviderState>
  /** By tool: consecutive calls without success. Kept only if a provider needs it. */
  readonly failures: PersistentMap<number>
  /** null: no call yet, or no provider needs it. */
  readonly repetition: Repetition | null
}

export interface PlanState {
  readonly seq: number
  readonly steps: readonly PlanStep[]
  readonly done: number
}

/** Newest order of a person. After `end` no order is taken. */
export interface SessionControl extends SessionControlled {
  readonly seq: number
}

export interface SessionState {
  /** Sequence number of the last folded event; 0 before the first. */
  readonly seq: number
  /** Time of the last folded event, epoch ms. */
  readonly at: number
  readonly semantics: number
  readonly startedAt: number | null
  readonly endedAt: number | null
  readonly prompt: string
  /** null: unknown. */
  readonly environment: string | null
  readonly tags: { readonly [name: string]: string }
  readonly workspaceRoot: string | null
  readonly deadlineAt: number | null
  readonly budget: BudgetLimits | null
  readonly usage: Usage
  readonly evaluations: PersistentMap<Usage>
  readonly pending: PersistentMap<PendingCall>
  /** By canonical tool name. */
  readonly tallies: PersistentMap<ToolTally>
  /** By rule id. */
  readonly rates: PersistentMap<RateWindow>
  /** Reads by rule id, then by path in normal form. */
  readonly reads: PersistentMap<PersistentMap<ReadMark>>
  readonly prompts: PersistentMap<PromptState>
  /** By provider id: sequence number of the call after which its file trigger fired. Once per session, for all prompts. */
  readonly firedFiles: PersistentMap<number>
  readonly plan: PlanState | null
  readonly stops: { readonly attempts: number; readonly blocks: number }
  /** null: no order was given. */
  readonly control: SessionControl | null
  readonly replaceable: Replaceable
}

/** Parts of a call that can be given to tool or model in another form. */
export interface Replaceable {
  readonly arguments: boolean
  readonly results: boolean
}

/** A host's own loop uses the values that it gets back. */
export const ALL_REPLACEABLE: Replaceable = { arguments: true, results: true }

export const NO_DELIVERY: ProviderState = {
  callsAtDelivery: 0,
  deliveredAt: null,
  deliveredSeq: null,
  deliveries: 0,
}

export function initialState(promptName: string): SessionState {
  return {
    seq: 0,
    at: 0,
    semantics: FIRST_SEMANTICS,
    startedAt: null,
    endedAt: null,
    prompt: promptName,
    environment: null,
    tags: {},
    workspaceRoot: null,
    deadlineAt: null,
    budget: null,
    usage: { input: 0, output: 0, total: 0 },
    evaluations: emptyMap(),
    pending: emptyMap(),
    tallies: emptyMap(),
    rates: emptyMap(),
    reads: emptyMap(),
    prompts: emptyMap(),
    firedFiles: emptyMap(),
    plan: null,
    stops: { attempts: 0, blocks: 0 },
    control: null,
    replaceable: ALL_REPLACEABLE,
  }
}

export function isPending(state: SessionState, callId: string): boolean {
  return getIn(state.pending, callId) !== undefined
}

/** Sequence number of the tool's last success; 0: none. */
export function lastSuccess({ tallies }: SessionState, tool: string): number {
  return getIn(tallies, tool)?.successSeq ?? 0
}

/** State under construction: owned by one `step` and not visible outside it. */
export type StateDraft = { -readonly [Field in keyof SessionState]: SessionState[Field] }

/** Lists every field, because it runs once per event and an object spread costs ten times as much (measured on Node 20). */
export function createDraft(state: SessionState): StateDraft {
  return {
    seq: state.seq,
    at: state.at,
    semantics: state.semantics,
    startedAt: state.startedAt,
    endedAt: state.endedAt,
    prompt: state.prompt,
    environment: state.environment,
    tags: state.tags,
    workspaceRoot: state.workspaceRoot,
    deadlineAt: state.deadlineAt,
    budget: state.budget,
    usage: state.usage,
    evaluations: state.evaluations,
    pending: state.pending,
    tallies: state.tallies,
    rates: state.rates,
    reads: state.reads,
    prompts: state.prompts,
    firedFiles: state.firedFiles,
    plan: state.plan,
    stops: state.stops,
    control: state.control,
    replaceable: state.replaceable,
  }
}
