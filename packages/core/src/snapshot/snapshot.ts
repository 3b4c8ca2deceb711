// JSON form of a session's state: complete, versioned and sorted, so that a fold can continue on any machine.
import type { BudgetLimits } from '../model/event.ts'
import { listEntries, mapFrom, type PersistentMap } from '../model/persistent-map.ts'
import { FIRST_SEMANTICS, knownSemantics } from '../model/semantics.ts'
import {
  ALL_REPLACEABLE,
  type PendingCall,
  type PlanState,
  type ProviderState,
  type ReadMark,
  type Repetition,
  type Replaceable,
  type SessionControl,
  type SessionState,
  type ToolTally,
  type Usage,
} from '../model/state.ts'

type Entries<Value> = { readonly [key: string]: Value }

export interface StateSnapshot {
  readonly v: 2
  readonly seq: number
  readonly at: number
  /** Absent: 1, as in all snapshots that were stored before the field existed. */
  readonly semantics?: number
  readonly started_at: number | null
  readonly ended_at: number | null
  readonly prompt: string
  readonly environment: string | null
  readonly tags: Entries<string>
  readonly workspace_root: string | null
  readonly deadline_at: number | null
  readonly budget: BudgetLimits | null
  readonly usage: Usage
  readonly evaluations: Entries<Usage>
  readonly pending: Entries<PendingCall>
  readonly tallies: Entries<ToolTally>
  readonly rates: Entries<{
    readonly admitted: number
    readonly ring: Entries<{ readonly seq: number; readonly at: number }>
  }>
  readonly reads: Entries<Entries<ReadMark>>
  readonly prompts: Entries<{
    readonly calls: number
    readonly providers: Entries<ProviderState>
    readonly failures: Entries<number>
    readonly repetition: Repetition | null
  }>
  readonly fired_files: Entries<number>
  readonly plan: PlanState | null
  readonly stops: { readonly attempts: number; readonly blocks: number }
  /** Absent: no order was given. */
  readonly control?: SessionControl
  /** Absent: everything can be replaced. */
  readonly replaceable?: Replaceable
}

function toEntries<Value, Json>(
  map: PersistentMap<Value>,
  toJson: (value: Value) => Json,
): Entries<Json> {
  return Object.fromEntries(listEntries(map).map(([key, value]) => [key, toJson(value)]))
}

function fromEntries<Json, Value>(
  entries: Entries<Json>,
  fromJson: (json: Json) => Value,
): PersistentMap<Value> {
  return mapFrom(Object.entries(entries).map(([key, json]) => [key, fromJson(json)]))
}

const same = <Value>(value: Value): Value => value

export function snapshotState(state: SessionState): StateSnapshot {
  return {
    v: 2,
    seq: state.seq,
    at: state.at,
    ...(state.semantics === FIRST_SEMANTICS ? {} : { semantics: state.semantics }),
    started_at: state.startedAt,
    ended_at: state.endedAt,
    prompt: state.prompt,
    environment: state.environment,
    tags: state.tags,
    workspace_root: state.workspaceRoot,
    deadline_at: state.deadlineAt,
    budget: state.budget,
    usage: state.usage,
    evaluations: toEntries(state.evaluations, same),
    pending: toEntries(state.pending, same),
    tallies: toEntries(state.tallies, same),
    rates: toEntries(state.rates, ({ admitted, ring }) => ({
      admitted,
      ring: toEntries(ring, same),
    })),
    reads: toEntries(state.reads, (marks) => toEntries(marks, same)),
    prompts: toEntries(state.prompts, ({ calls, providers, failures, repetition }) => ({
      calls,
      providers: toEntries(providers, same),
      failures: toEntries(failures, same),
      repetition,
    })),
    fired_files: toEntries(state.firedFiles, same),
    plan: state.plan,
    stops: state.stops,
    ...(state.control === null ? {} : { control: state.control }),
    ...(state.replaceable === ALL_REPLACEABLE ? {} : { replaceable: state.replaceable }),
  }
}

/** Accepts only results of `snapshotState`. Throws on another snapshot version and on semantics that this build does not know. */
export function restoreState(json: StateSnapshot): SessionState {
  if (json.v !== 2) throw new Error(`State snapshot version ${String(json.v)} is not supported.`)
  return {
    seq: json.seq,
    at: json.at,
    semantics: knownSemantics(json.semantics ?? FIRST_SEMANTICS),
    startedAt: json.started_at,
    endedAt: json.ended_at,
    prompt: json.prompt,
    environment: json.environment,
    tags: json.tags,
    workspaceRoot: json.workspace_root,
    deadlineAt: json.deadline_at,
    budget: json.budget,
    usage: json.usage,
    evaluations: fromEntries(json.evaluations, same),
    pending: fromEntries(json.pending, same),
    tallies: fromEntries(json.tallies, same),
    rates: fromEntries(json.rates, ({ admitted, ring }) => ({
      admitted,
      ring: fromEntries(ring, same),
    })),
    reads: fromEntries(json.reads, (marks) => fromEntries(marks, same)),
    prompts: fromEntries(json.prompts, ({ calls, providers, failures, repetition }) => ({
      calls,
      providers: fromEntries(providers, same),
      failures: fromEntries(failures, same),
      repetition,
    })),
    firedFiles: fromEntries(json.fired_files, same),
    plan: json.plan,
    stops: json.stops,
    control: json.control ?? null,
    replaceable: json.replaceable ?? ALL_REPLACEABLE,
  }
}
