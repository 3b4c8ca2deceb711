// Checker types by name; builds the tree.
import type { CheckerDocument } from '../config.ts'
import { pointerTo } from '../json.ts'
import type { Checker } from './checker.ts'
import { filesExistChecker } from './files-exist.ts'
import { planChecker } from './plan.ts'

export const CHECKER_TYPES = [
  'plan',
  'files_exist',
  'composite',
] as const satisfies readonly CheckerDocument['type'][]

export function compileChecker(document: CheckerDocument, pointer: string): Checker {
  switch (document.type) {
    case 'plan':
      return planChecker(document.id, pointer)
    case 'files_exist':
      return filesExistChecker(document, pointer)
    case 'composite': {
      const children = pointerTo(pointer, 'checkers')
      return {
        kind: 'composite',
        id: document.id,
        pointer,
        type: 'composite',
        allMustPass: document.all_must_pass ?? true,
        children: document.checkers.map((child, i) =>
          compileChecker(child, pointerTo(children, i)),
        ),
      }
    }
    default:
      return document satisfies never
  }
}
