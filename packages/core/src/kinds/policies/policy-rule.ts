// A policy type as lint, tighten and the state of a session read it: from the document alone. The engine reads the compiled policy.
import { pointerTo } from '../../model/json.ts'
import type { PersistentMap } from '../../model/persistent-map.ts'
import type { Problem } from '../../model/problem.ts'
import type { RuleBase, RuleMode } from '../../model/rule.ts'
import { differingFields } from '../../model/same-fields.ts'
import type { RateWindow, ReadMark, SessionState } from '../../model/state.ts'
import { compareNames, type Judgement, looser, stricter, untold } from '../judgement.ts'
import { type Placed, place } from '../place.ts'
import type { RuleForm } from '../rule-words.ts'

export interface PolicyPlace<Document> extends Placed<Document> {
  /** The section that declares it; null: the prompt. */
  readonly section: { readonly tools?: readonly string[] } | null
}

/** One tool and the tools that must have succeeded before it. */
export interface Prerequisite {
  readonly tool: string
  readonly needed: readonly string[]
  /** The tool's entry; item `i` of `needed` is at `pointer/i`. */
  readonly pointer: string
}

/** The rest of a document, as far as a rule's blind spots depend on it. */
export interface Surroundings {
  /** Canonical names that the document declares or governs. */
  readonly tools: readonly string[]
  /** A rule that sees the command, or a person, decides about the tool. */
  isHeld(tool: string): boolean
}

/** Two rules of one type and id, both acting. */
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

/** Prerequisites of one rule for one tool, and which have succeeded. */
export interface SequenceView {
  readonly rule: string
  readonly mode: RuleMode
  readonly tool: string
  /** `seq`: of the last success; null: none yet. */
  readonly needs: readonly { readonly tool: string; readonly seq: number | null }[]
}

export interface RateView {
  readonly rule: string
  readonly mode: RuleMode
  readonly tools: readonly string[]
  readonly maxCalls: number
  readonly perSeconds: number
  /** Calls that count now. */
  readonly used: number
  /** Epoch ms from which another call is allowed; null: now. */
  readonly freeAt: number | null
}

export interface RuleView {
  readonly sequences: readonly SequenceView[]
  readonly rates: readonly RateView[]
}

export interface PolicyRule<Document> {
  /** Tools that it governs, including those that it never denies. */
  governs(document: Document): readonly string[] | 'every'
  /** Tools that it can deny. */
  denies(document: Document): readonly string[] | 'every'
  /** Every position that names a tool which the rule governs or watches. */
  toolsNamed(document: Document, pointer: string): readonly Placed<string>[]
  prerequisites(document: Document, pointer: string): readonly Prerequisite[]
  /** It denies every call of its tools. */
  deniesAlways(document: Document): boolean
  /** The rule, or a person that it asks, sees the arguments of a call, so that it can stop a harmful command. */
  readonly seesCommands: boolean
  /** Errors of a rule that could be enforced as written but cannot have been intended. */
  errors(document: Document, pointer: string): readonly Problem[]
  /** Compares the strictness of the newer rule with the older one. */
  compare(pair: Pair<Document>): readonly Judgement[]
  /** Part of the older rule's state that means the same under the newer rule. */
  carryOver(before: Document, after: Document, memory: RuleMemory): RuleMemory
  /** It needs only the tool and the session, so that it can evaluate a waiting call. */
  readonly needsToolOnly: boolean
  /** Requirements and kept state of the rule at this state. */
  view(document: Document, state: SessionState): RuleView
}

/** The part of a policy type that only its authors need. */
export interface PolicyForm<Document> extends RuleForm<Document> {
  /** Warnings about the rule itself. */
  advice(place: PolicyPlace<Document>): readonly Problem[]
  /** Calls that the rule seems to cover and does not. */
  blindSpots(place: PolicyPlace<Document>, surroundings: Surroundings): readonly Problem[]
}

export const NOTHING_TO_VIEW: RuleView = { sequences: [], rates: [] }

/** For the parts of a rule that find nothing. */
export function none(): readonly never[] {
  return []
}

/** For rules that remember nothing, or nothing that another version can use. */
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

/** Differing fields of the two that were not compared before. */
export function compareRest<Document extends RuleBase>(
  { before, after, pointer, name }: Pair<Document>,
  compared: readonly (keyof Document & string)[],
): readonly Judgement[] {
  return differingFields(before, after, [...HEAD, ...compared]).map((field) =>
    untold(pointerTo(pointer, field), `${name} has a different \`${field}\``),
  )
}

export function compareTools<Document extends { readonly tools?: readonly string[] }>(
  { before, after, pointer, name }: Pair<Document>,
  verb: string,
): readonly Judgement[] {
  return compareNames([before.tools ?? 'every', after.tools ?? 'every'], {
    pointer: pointerTo(pointer, 'tools'),
    says: [`${name} ${verb}`, `${name} no longer ${verb}`],
  })
}

/** Compares two numbers; `strictSide` is where the stricter ones are. */
export function compareNumbers<Document>(
  { before, after, pointer, name }: Pair<Document>,
  { field, strictSide }: { readonly field: keyof Document & string; readonly strictSide: 1 | -1 },
): readonly Judgement[] {
  const [was, is] = [Number(before[field]), Number(after[field])]
  if (was === is) return []
  const judge = Math.sign(is - was) === strictSide ? stricter : looser
  return [judge(pointerTo(pointer, field), `${name}: \`${field}\` is ${is} instead of ${was}`)]
}
