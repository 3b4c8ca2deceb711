// What a session is remembered by. Immutable; grown only by `step`; its JSON form is in snapshot.ts.
// Every lookup and update costs the same however long the session is (specs/sessions.md).
import type { BudgetLimits, PlanStep } from './event.ts'
import { emptyMap, type PersistentMap } from './persistent-map.ts'

export interface Usage {
  readonly input: number
  readonly output: number
  readonly total: number
}

export interface PendingCall {
  readonly seq: number
  readonly tool: string
  /** The path argument as the governing rules normalised it, per rule id; absent when no rule keeps one. */
  readonly paths: { readonly [rule: string]: string }
  readonly denied: boolean
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
}

export interface PlanState {
  readonly seq: number
  readonly steps: readonly PlanStep[]
}

export interface SessionState {
  /** Sequence number of the last folded event; 0 before the first. */
  readonly seq: number
  /** Time of the last folded event, epoch ms. */
  readonly at: number
  readonly startedAt: number | null
  readonly endedAt: number | null
  readonly prompt: string
  readonly workspaceRoot: string | null
  readonly deadlineAt: number | null
  readonly budget: BudgetLimits | null
  readonly usage: Usage
  readonly evaluations: PersistentMap<Usage>
  readonly pending: PersistentMap<PendingCall>
  /** Sequence number of the last success, by canonical tool name. */
  readonly successes: PersistentMap<number>
  /** Reads by rule id, then by path in normal form. */
  readonly reads: PersistentMap<PersistentMap<ReadMark>>
  readonly prompts: PersistentMap<PromptState>
  /** By provider id: the call after which its file trigger fired. Once per session, whatever the prompt. */
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
    startedAt: null,
    endedAt: null,
    prompt: promptName,
    workspaceRoot: null,
    deadlineAt: null,
    budget: null,
    usage: { input: 0, output: 0, total: 0 },
    evaluations: emptyMap(),
    pending: emptyMap(),
    successes: emptyMap(),
    reads: emptyMap(),
    prompts: emptyMap(),
    firedFiles: emptyMap(),
    plan: null,
    stops: { attempts: 0, blocks: 0 },
  }
}

/** A state under construction: owned by one `step`, never seen outside it. */
export type StateDraft = { -readonly [Field in keyof SessionState]: SessionState[Field] }

/**
 * A shallow copy to write into. Spelled out because an object spread of this many fields costs ten times as much
 * (measured on Node 20), and every event pays for it.
 */
export function draftOf(state: SessionState): StateDraft {
  return {
    seq: state.seq,
    at: state.at,
    startedAt: state.startedAt,
    endedAt: state.endedAt,
    prompt: state.prompt,
    workspaceRoot: state.workspaceRoot,
    deadlineAt: state.deadlineAt,
    budget: state.budget,
    usage: state.usage,
    evaluations: state.evaluations,
    pending: state.pending,
    successes: state.successes,
    reads: state.reads,
    prompts: state.prompts,
    firedFiles: state.firedFiles,
    plan: state.plan,
    stops: state.stops,
  }
}
