// Uses the documents alone, and is sound: "stricter" is proven, and everything else counts as looser (specs/tighten.md).

import { DEFAULT_MAX_STOP_BLOCKS } from '../engine/compile.ts'
import {
  type Judgment,
  looser,
  type StrictnessNote,
  stricter,
  unproven,
} from '../kinds/base/judgment.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import { placeDocument } from '../kinds/placed.ts'
import { pointerTo } from '../model/json.ts'
import { differingFields } from '../model/same-fields.ts'
import { compareCheckers } from './compare-checkers.ts'
import { compareContents } from './compare-content.ts'
import { comparePolicies } from './compare-policies.ts'

export type Strictness =
  /** `changes`: parts that become stricter. Empty: no rule acts differently. */
  | { readonly stricter: true; readonly changes: readonly StrictnessNote[] }
  /** `looser`: looser changes, then undecidable ones; never empty. */
  | { readonly stricter: false; readonly looser: readonly StrictnessNote[] }

function provenFirst(notes: readonly StrictnessNote[]): readonly StrictnessNote[] {
  const isProven = ({ isUnproven }: StrictnessNote) => isUnproven !== true
  return [...notes.filter(isProven), ...notes.filter((note) => !isProven(note))]
}

/** Undecidable notes alone prove nothing. */
export function looserWords([first]: readonly StrictnessNote[]): string {
  return first?.isUnproven === true ? 'is not proven to be as strict' : 'is looser'
}

/**
 * If the result is stricter: in a session that changes from `from` to `to`, every call that `from` would deny is denied, and every stop
 * that it would block is blocked, up to and including the first decision in which the two differ. Both documents must compile.
 */
export function compareStrictness(from: ConfigDocument, to: ConfigDocument): Strictness {
  const judgments = [
    ...compareDocuments(from, to),
    ...comparePolicies(placeDocument(from), placeDocument(to)),
    ...compareContents(placeDocument(from), placeDocument(to)),
    ...compareCheckers(from, to),
    ...compareEnds(from, to),
  ]
  const notes = (side: Judgment['side']): readonly StrictnessNote[] =>
    judgments.flatMap(({ side: of, ...note }) => (of === side ? [note] : []))
  const against = provenFirst(notes('looser'))
  return against.length > 0
    ? { stricter: false, looser: against }
    : { stricter: true, changes: notes('stricter') }
}

/** Fields that are compared elsewhere, or free to change: texts for the agent and settings of the queue, which no rule reads. */
const APART = [
  ...['sections', 'policies', 'content', 'task_completion_checker', 'final_verification', 'limits'],
  ...['feedback_providers', 'feedback_exclusive', 'lease', 'description', 'metadata'],
] as const

const WHY: Readonly<Record<string, string>> = {
  ns: 'It belongs to another prompt',
  key: 'It belongs to another prompt',
  name: 'The prompt has a different name, and the session counts calls by that name',
  aliases: 'The aliases differ, so rules govern other calls',
  redaction: 'The redaction differs, so rules see other arguments',
}

function compareDocuments(from: ConfigDocument, to: ConfigDocument): readonly Judgment[] {
  return differingFields(from, to, APART).map((field) =>
    unproven(pointerTo('', field), WHY[field] ?? `The field \`${field}\` differs`),
  )
}

function compareEnds(from: ConfigDocument, to: ConfigDocument): readonly Judgment[] {
  const [was, is] = [from, to].map(
    ({ limits }) => limits?.max_stop_blocks ?? DEFAULT_MAX_STOP_BLOCKS,
  ) as [number, number]
  const blocks = (judge: typeof stricter) =>
    judge('/limits/max_stop_blocks', `A stop is allowed after ${is} blocks instead of ${was}`)
  const others = differingFields(from.limits ?? {}, to.limits ?? {}, ['max_stop_blocks'])
  const errs = (document: ConfigDocument) => document.final_verification === 'error'
  const ends = (judge: typeof stricter, says: string) =>
    judge('/final_verification', `An output with an incomplete task is ${says}`)
  return [
    ...(is < was ? [blocks(looser)] : []),
    ...(is > was ? [blocks(stricter)] : []),
    ...others.map((field) =>
      unproven(pointerTo('/limits', field), `The limit \`${field}\` differs`),
    ),
    ...(errs(from) && !errs(to) ? [ends(looser, 'only a warning')] : []),
    ...(!errs(from) && errs(to) ? [ends(stricter, 'an error')] : []),
  ]
}
