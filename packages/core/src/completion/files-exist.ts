// files_exist: every named file must exist. A file whose existence is unknown counts as missing.
import type { FilesExistCheckerDocument } from '../config.ts'
import { fileFact } from '../fact.ts'
import { pathInDocument } from '../path.ts'
import { type CheckContext, type CheckOutcome, firstThree, type LeafChecker } from './checker.ts'

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
  return {
    kind: 'leaf',
    id: document.id,
    pointer,
    type: 'files_exist',
    files: required.flatMap(({ path }) => (path === null ? [] : [path])),
    external: false,
    check: (context) => check(required, context),
  }
}

function existence(file: RequiredFile, context: CheckContext): boolean | 'unknown' {
  return file.path === null ? 'unknown' : fileFact(context.stop.facts, file.path).exists
}

function check(required: readonly RequiredFile[], context: CheckContext): CheckOutcome {
  const absent = required.filter((file) => existence(file, context) === false)
  const unknown = required.filter((file) => existence(file, context) === 'unknown')
  const files = required.map((file) => file.given)
  if (absent.length === 0 && unknown.length === 0) {
    return {
      status: 'passed',
      code: 'files.all_exist',
      params: { files },
      feedback: 'All required files exist.',
      because: [],
    }
  }
  const names = [...absent, ...unknown].map((file) => file.given)
  return {
    status: 'incomplete',
    code: absent.length > 0 ? 'files.missing' : 'files.unknown',
    params: {
      files,
      missing: absent.map((file) => file.given),
      unknown: unknown.map((file) => file.given),
    },
    feedback: `Missing required files: ${firstThree(names)}`,
    because: [],
  }
}
