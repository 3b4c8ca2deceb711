// files_exist: every named file must exist. A file whose existence is unknown counts as missing.

import { fileFact } from '../../model/fact.ts'
import { pathInDocument } from '../../model/path.ts'
import type { CheckerBase } from '../../model/rule.ts'
import {
  type CheckContext,
  type CheckOutcome,
  firstThree,
  type LeafChecker,
  leafChecker,
  outcome,
} from './checker.ts'

/** Every file must exist in the workspace. */
export interface FilesExistCheckerDocument extends CheckerBase {
  readonly type: 'files_exist'
  readonly files: readonly string[]
}

interface RequiredFile {
  readonly given: string
  /** null: outside the workspace, so it can never be seen to exist. */
  readonly path: string | null
}

export function filesExistChecker(
  document: FilesExistCheckerDocument,
  pointer: string,
): LeafChecker {
  const required = document.files.map((given) => ({
    given,
    path: pathInDocument(given),
  }))
  return leafChecker(document, pointer, {
    check: (context) => check(required, context),
    files: required.flatMap(({ path }) => path ?? []),
  })
}

function existence(file: RequiredFile, context: CheckContext): boolean | 'unknown' {
  return file.path === null ? 'unknown' : fileFact(context.stop.facts, file.path).exists
}

function check(required: readonly RequiredFile[], context: CheckContext): CheckOutcome {
  const named = (existing: boolean | 'unknown'): readonly string[] =>
    required.flatMap((file) => (existence(file, context) === existing ? [file.given] : []))
  const missing = named(false)
  const unknown = named('unknown')
  const files = required.map(({ given }) => given)
  const open = [...missing, ...unknown]
  if (open.length === 0) {
    const feedback = 'All required files exist.'
    return outcome('passed', 'files.all_exist', { params: { files }, feedback })
  }
  return outcome('incomplete', missing.length > 0 ? 'files.missing' : 'files.unknown', {
    params: { files, missing, unknown },
    feedback: `Missing required files: ${firstThree(open)}`,
  })
}
