// State of a session. Immutable; only `step` extends it; its JSON form is in `snapshot/`. The cost of every look-up and update does not
// depend on the length of the session (specs/sessions.md).
import type { RuleResult } from './effect.ts'
import type { BudgetLimits, PlanStep, ToolOutcome } from './event.ts'
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
  /** The path argument in normal form, with the key of each form that found one (policies/path-argument.ts). */
  readonly paths: readonly { readonly form: string; readonly path: string }[]
  /** Also true while there is no decision. */
  readonly denied: boolean
  /** The call waits for a person; null: it does not. */
  readonly approval: PendingApproval | null
}

export interface PendingApproval {
  readonly expiresAt: number
  /** Results of the other rules when the call was requested; they allowed it. */
  readonly rules: readonly RuleResult[]
}

/** All finished calls of one tool, and the last that ran. */
export interface ToolTally {
  readonly calls: number
  readonly succeeded: number
  /** Ended as `failure` or `invalid`. */
  readonly failed: number
  readonly denied: number
  /** Outcome of the last call that ran; null: none did. Success that no allowed request led to is `unknown`. */
  readonly last: Extract<ToolOutcome, 'success' | 'failure' | 'unknown'> | null
  /** Sequence number of that call's end. */
  readonly lastSeq: number | null
  /** Sequence number of the last success. */
  readonly successSeq: number | null
}

/** The last allowed calls under one rate limit: a ring of `max_calls` places. */
export interface RateWindow {
  /** Number of calls ever admitted; the newest is in slot `(admitted - 1) mod max_calls`. */
  readonly admitted: number
  readonly ring: PersistentMap<{ readonly seq: number; readonly at: number }>
}

/** Number of times in a row that the newest call was made with the same arguments. */
export interface Repetition {
  /** Fingerprint of tool and arguments. */
  readonly call: string
  readonly times: number
}

export interface ReadMark {
  readonly seq: number
  /** null: the content was not known when it was read. */
  readonly fingerprint: string | null
}

export interface ProviderState {
  /** Finished calls of the prompt at the last delivery. */
  readonly callsAtDelivery: number
  readonly deliveredAt: number | null
  readonly deliveredSeq: number | null
  readonly deliveries: number
}

export interface PromptState {
  /** Finished calls while this prompt was current. */
  readonly calls: number
  readonly providers: PersistentMap<ProviderState>
  /** By tool: calls in a row that did not succeed. Kept only when a provider asks. */
  readonly failures: PersistentMap<number>
  /** null: no call yet, or no provider asks. */
  readonly repetition: Repetition | null
}

export interface PlanState {
  readonly seq: number
  readonly steps: readonly PlanStep[]
  readonly done: number
}

export interface SessionState {
  /** Sequence number of the last folded event; 0 before the first. */
  readonly seq: number
  /** Time of the last folded event, epoch ms. */
  readonly at: number
  /** Number of the rules that decide this session (semantics.ts). */
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
  /** By provider id: the call after which its file trigger fired. Once per session, for any prompt. */
  readonly firedFiles: PersistentMap<number>
  readonly plan: PlanState | null
  readonly stops: { readonly attempts: number; readonly blocks: number }
}

export const NO_DELIVERY: ProviderState = {
  callsAtDelivery: 0,
  deliveredAt: null,
  deliveredSeq: null,
  deliveries: 0,
}

/** The state before the first event. */
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
  }
}

export function isPending(state: SessionState, callId: string): boolean {
  return getIn(state.pending, callId) !== undefined
}

/** A state under construction: owned by one `step`, never seen outside it. */
export type StateDraft = { -readonly [Field in keyof SessionState]: SessionState[Field] }

/**
 * A shallow copy to write into. Spelled out because an object spread of this many fields costs ten times as much
 * (measured on Node 20), and every event pays for it.
 */
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
  }
}
