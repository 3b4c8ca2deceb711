// Anything unproven counts as looser.

import { type Judgment, looser, stricter, unproven } from '../kinds/base/judgment.ts'
import {
  type CheckerDocument,
  type CompositeCheckerDocument,
  checkerRule,
  isComposite,
  isKnownChecker,
} from '../kinds/checkers.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import type { JsonValue } from '../model/json.ts'
import { isSameJson } from '../model/same-json.ts'

const POINTER = '/task_completion_checker'

export function compareCheckers(from: ConfigDocument, to: ConfigDocument): readonly Judgment[] {
  const before = from.task_completion_checker
  const after = to.task_completion_checker
  if (before === undefined) {
    return after === undefined ? [] : [stricter(POINTER, 'Stops are now checked')]
  }
  if (after === undefined) return [looser(POINTER, 'Stops are no longer checked')]
  if (isSame(before, after)) return []
  const open = flattenDemands(before).filter((demand) => !implies(after, demand))
  if (open.length === 0) return [stricter(POINTER, 'The completion check requires more')]
  return open.map(({ id }) =>
    unproven(POINTER, `The completion check may pass where \`${id}\` does not`),
  )
}

function isSame(one: CheckerDocument, other: CheckerDocument): boolean {
  // Documents are JSON; their types only lack an index signature.
  return isSameJson(one as unknown as JsonValue, other as unknown as JsonValue)
}

function isAll(document: CheckerDocument): document is CompositeCheckerDocument {
  return isComposite(document) && (document.all_must_pass ?? true)
}

/** Checkers that must all pass. */
function flattenDemands(document: CheckerDocument): readonly CheckerDocument[] {
  return isAll(document) ? document.checkers.flatMap(flattenDemands) : [document]
}

/** True if a runtime without the checker's code leaves it out. It then requires nothing, and cannot pass either. */
function mayBeLeftOut(document: CheckerDocument): boolean {
  return !isKnownChecker(document) && document.optional === true
}

function implies(strict: CheckerDocument, lax: CheckerDocument): boolean {
  if (isSame(strict, lax)) return true
  if (isAll(lax)) return lax.checkers.every((demand) => implies(strict, demand))
  if (isComposite(strict)) {
    if (strict.all_must_pass ?? true) return strict.checkers.some((part) => implies(part, lax))
    // Without any child that can pass, the composite would require nothing.
    const isReal = strict.checkers.some((way) => !mayBeLeftOut(way))
    return isReal && strict.checkers.every((way) => implies(way, lax))
  }
  if (isComposite(lax)) {
    return lax.checkers.some((way) => !mayBeLeftOut(way) && implies(strict, way))
  }
  return strict.type === lax.type && checkerRule(strict)?.implies(strict, lax) === true
}
