// Part of a policy type that lint, tighten and the state view use, from the document alone. The engine uses the compiled policy.
import { pointerTo } from '../../model/json.ts'
import type { PersistentMap } from '../../model/persistent-map.ts'
import type { Problem } from '../../model/problem.ts'
import type { RuleBase, RuleMode } from '../../model/rule.ts'
import { differingFields } from '../../model/same-fields.ts'
import type { RateWindow, ReadMark, SessionState } from '../../model/state.ts'
import { compareNames, type Judgment, looser, stricter, unproven } from '../judgment.ts'
import { type Placed, place } from '../place.ts'
import type { PolicyReason } from '../policy-reason.ts'
import type { RuleForm, RuleWords } from '../rule-words.ts'

export interface PolicyPlace<Document> extends Placed<Document> {
  /** Section that declares the policy; null: the prompt. */
  readonly section: { readonly tools?: readonly string[] } | null
}

/** One tool and the tools that must have succeeded before it. */
export interface Prerequisite {
  readonly tool: string
  readonly needed: readonly string[]
  /** Pointer of the tool's entry; item `i` of `needed` is at `pointer/i`. */
  readonly pointer: string
}

/** Parts of the rest of the document on which a rule's blind spots depend. */
export interface Surroundings {
  /** Canonical names that the document declares or governs. */
  readonly tools: readonly string[]
  /** True if a rule that sees commands, or a person, decides about the tool. */
  isHeld(tool: string): boolean
}

/** Two enforced rules with the same type and id. */
export interface Pair<Document> {
  readonly before: Document
  readonly after: Document
  readonly pointer: string
  readonly name: string
}

/** State that a rule keeps about a session. Absent: none. */
export interface RuleMemory {
  readonly rate?: RateWindow
  readonly reads?: PersistentMap<ReadMark>
}

/** Prerequisites of one rule for one tool, and those that have succeeded. */
export interface SequenceView {
  readonly rule: string
  readonly mode: RuleMode
  readonly tool: string
  /** `seq`: sequence number of the last success; null: none yet. */
  readonly needs: readonly { readonly tool: string; readonly seq: number | null }[]
}

export interface RateView {
  readonly rule: string
  readonly mode: RuleMode
  readonly tools: readonly string[]
  readonly maxCalls: number
  readonly perSeconds: number
  /** Number of calls that count now. */
  readonly used: number
  /** Epoch ms from which another call is allowed; null: it is allowed now. */
  readonly freeAt: number | null
}

export interface RuleView {
  readonly sequences: readonly SequenceView[]
  readonly rates: readonly RateView[]
}

export interface PolicyRule<Document> {
  /** Tools that the rule governs, including tools that it never denies. */
  governs(document: Document): readonly string[] | 'every'
  denies(document: Document): readonly string[] | 'every'
  /** Every position that names a tool that the rule governs or watches. */
  toolsNamed(document: Document, pointer: string): readonly Placed<string>[]
  prerequisites(document: Document, pointer: string): readonly Prerequisite[]
  /** True if the rule denies every call of its tools. */
  deniesAlways(document: Document): boolean
  /** True if the rule, or a person that it asks, sees the arguments of a call and can stop a harmful command. */
  readonly seesCommands: boolean
  /** Longest wait for an approval, in seconds; 0: the rule never asks for one. */
  approvalSeconds(document: Document): number
  /** Errors of a rule that can be enforced as written but cannot be intended. */
  errors(document: Document, pointer: string): readonly Problem[]
  /** Compares the strictness of the newer rule with that of the older one. */
  compare(pair: Pair<Document>): readonly Judgment[]
  /** State of the older rule that has the same meaning under the newer one. */
  carryOver(before: Document, after: Document, memory: RuleMemory): RuleMemory
  /** True if the rule needs only tool and session, so that it can evaluate a waiting call. */
  readonly needsToolOnly: boolean
  /** Requirements and stored state of the rule in `state`. */
  view(document: Document, state: SessionState): RuleView
}

/** Part of a policy type for authors only. */
export interface PolicyForm<Document> extends RuleForm<Document> {
  /** Lint warnings about the rule itself. */
  advice(place: PolicyPlace<Document>): readonly Problem[]
  /** Warnings about calls that the rule seems to cover but does not. */
  blindSpots(place: PolicyPlace<Document>, surroundings: Surroundings): readonly Problem[]
}

/** Part of a policy type for people: readers of decisions and authors of configs. */
export interface PolicyWords<Document> extends RuleWords<Document> {
  /** By reason code. A rule may have the id of an older one of another type, so the steps rely on no field of it. */
  readonly reasons: { readonly [code: string]: PolicyReason<Partial<Document>> }
}

export const NOTHING_TO_VIEW: RuleView = { sequences: [], rates: [] }

/** For parts of a rule that find nothing. */
export function none(): readonly never[] {
  return []
}

/** For rules that never ask for an approval. */
export function noApproval(): number {
  return 0
}

/** For rules without memory, or whose memory another version cannot use. */
export function forget(): RuleMemory {
  return {}
}

export function listedTools(
  { tools = [] }: { readonly tools?: readonly string[] },
  pointer: string,
): readonly Placed<string>[] {
  return place(tools, pointerTo(pointer, 'tools'))
}

const HEAD = ['id', 'type', 'mode'] as const

/** Judges the differing fields that are not in `compared`. */
export function compareRest<Document extends RuleBase>(
  { before, after, pointer, name }: Pair<Document>,
  compared: readonly (keyof Document & string)[],
): readonly Judgment[] {
  return differingFields(before, after, [...HEAD, ...compared]).map((field) =>
    unproven(pointerTo(pointer, field), `${name} has a different \`${field}\``),
  )
}

export function compareTools<Document extends { readonly tools?: readonly string[] }>(
  { before, after, pointer, name }: Pair<Document>,
  verb: string,
): readonly Judgment[] {
  return compareNames([before.tools ?? 'every', after.tools ?? 'every'], {
    pointer: pointerTo(pointer, 'tools'),
    says: [`${name} ${verb}`, `${name} no longer ${verb}`],
  })
}

/** Compares two numbers. `strictSide` 1: larger is stricter; -1: smaller is stricter. */
export function compareNumbers<Document>(
  { before, after, pointer, name }: Pair<Document>,
  { field, strictSide }: { readonly field: keyof Document & string; readonly strictSide: 1 | -1 },
): readonly Judgment[] {
  const [was, is] = [Number(before[field]), Number(after[field])]
  if (was === is) return []
  const judge = Math.sign(is - was) === strictSide ? stricter : looser
  return [judge(pointerTo(pointer, field), `${name}: \`${field}\` is ${is} instead of ${was}`)]
}
