// Works from the document alone, for lint, tighten and the state view. The engine uses the compiled policy.
import { pointerTo } from '../../model/json.ts'
import type { PersistentMap } from '../../model/persistent-map.ts'
import type { Problem } from '../../model/problem.ts'
import type { RuleBase, RuleMode } from '../../model/rule.ts'
import { differingFields } from '../../model/same-fields.ts'
import type { RateWindow, ReadMark, SessionState } from '../../model/state.ts'
import { compareNames, type Judgment, looser, stricter, unproven } from '../base/judgment.ts'
import { type Placed, place } from '../base/place.ts'
import type { PolicyReason } from '../base/policy-reason.ts'
import type { RuleWords } from '../base/rule-words.ts'

export interface PolicyPlace<Document> extends Placed<Document> {
  /** Section that declares the policy; null: the prompt. */
  readonly section: { readonly tools?: readonly string[] } | null
}

export interface Prerequisite {
  readonly tool: string
  readonly needed: readonly string[]
  /** Pointer of the tool's entry; item `i` of `needed` is at `pointer/i`. */
  readonly pointer: string
}

export interface Surroundings {
  readonly tools: readonly string[]
  isHeld(tool: string): boolean
}

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

export interface SequenceView {
  readonly rule: string
  readonly mode: RuleMode
  readonly tool: string
  /** `seq`: sequence number of the last success; null: none yet. */
  readonly needs: readonly {
    readonly tool: string
    readonly seq: number | null
    /** True: another tool that the rule names succeeded after it. */
    readonly isOutdated: boolean
  }[]
}

export interface RateView {
  readonly rule: string
  readonly mode: RuleMode
  readonly tools: readonly string[]
  readonly maxCalls: number
  readonly perSeconds: number
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
  toolsNamed(document: Document, pointer: string): readonly Placed<string>[]
  /** Tools that the rule does not govern, and whose success it looks at. */
  toolsWatched(document: Document, pointer: string): readonly Placed<string>[]
  prerequisites(document: Document, pointer: string): readonly Prerequisite[]
  deniesAlways(document: Document): boolean
  /** True if the rule, or a person that it asks, sees the arguments of a call and can stop a harmful command. */
  readonly seesCommands: boolean
  /** Longest wait for an approval, in seconds; 0: the rule never asks for one. */
  approvalSeconds(document: Document): number
  /** Errors of a rule that can be enforced as written but cannot be intended. */
  errors(document: Document, pointer: string): readonly Problem[]
  compare(pair: Pair<Document>): readonly Judgment[]
  /** State of the older rule that has the same meaning under the newer one. */
  carryOver(before: Document, after: Document, memory: RuleMemory): RuleMemory
  /** True if the rule needs only tool and session, so that it can evaluate a waiting call. */
  readonly needsToolOnly: boolean
  view(document: Document, state: SessionState): RuleView
}

export interface PolicyWords<Document> extends RuleWords<Document> {
  /** By reason code. A rule may have the id of an older one of another type, so the steps rely on no field of it. */
  readonly reasons: { readonly [code: string]: PolicyReason<Partial<Document>> }
}

export const NOTHING_TO_VIEW: RuleView = { sequences: [], rates: [] }

export function none(): readonly never[] {
  return []
}

export function noApproval(): number {
  return 0
}

export function dropMemory(): RuleMemory {
  return {}
}

export function listedTools(
  { tools = [] }: { readonly tools?: readonly string[] },
  pointer: string,
): readonly Placed<string>[] {
  return place(tools, pointerTo(pointer, 'tools'))
}

const HEAD = ['id', 'type', 'mode'] as const

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
