// A file whose existence is unknown counts as missing.

import { fileFact } from '../../model/fact.ts'
import { type JsonObject, pointerTo } from '../../model/json.ts'
import { pathInDocument } from '../../model/path.ts'
import type { Problem } from '../../model/problem.ts'
import type { CheckerBase } from '../../model/rule.ts'
import { error, place } from '../base/place.ts'
import { isOne, list, names, type RuleWords } from '../base/rule-words.ts'
import {
  type CheckContext,
  type CheckOutcome,
  joinTitles,
  type LeafChecker,
  leafChecker,
  outcome,
} from './checker.ts'
import { type CheckerRule, includesAll, type KeyedStep } from './checker-rule.ts'

export interface FilesExistCheckerDocument extends CheckerBase {
  readonly type: 'files_exist'
  readonly files: readonly string[]
}

interface RequiredFile {
  readonly given: string
  /** null: the path is outside the workspace, so the file never counts as existing. */
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
    feedback: `Missing required files: ${joinTitles(open)}`,
  })
}

export const filesExistRule: CheckerRule<FilesExistCheckerDocument> = {
  toolsRequired: () => [],
  toolsWatched: () => [],
  run: () => null,
  stepWithModel: () => null,
  errors: filesOutside,
  answer: () => 'depends',
  restsOn: 'files',
  implies: (strict, lax) => includesAll(strict.files, lax.files),
  steps: (document, _result, context) => fileSteps(document, context),
  // A file outside the workspace never counts as existing, so the check is known to be incomplete.
  unknownBefore: ({ files }, leaf) => (leaf.files.length < files.length ? null : 'outlook.files'),
}

function filesOutside({ files }: FilesExistCheckerDocument, pointer: string): readonly Problem[] {
  return place(files, pointerTo(pointer, 'files')).flatMap(({ item: file, pointer: at }) => {
    if (pathInDocument(file) !== null) return []
    const message = `The file "${file}" lies outside the workspace, so no stop could ever pass. Use a path inside it.`
    return [error(at, 'file_outside_workspace', message)]
  })
}

function fileSteps(
  { files }: FilesExistCheckerDocument,
  { stop }: CheckContext,
): readonly KeyedStep[] {
  return files.flatMap((given): readonly KeyedStep[] => {
    const path = pathInDocument(given)
    if (path === null) {
      const obstacle = `\`${given}\` lies outside the workspace.`
      return [{ ...fileStep(given, given, 'files.cannot_check'), owner: 'config', obstacle }]
    }
    const { exists } = fileFact(stop.facts, path)
    if (exists === true) return []
    return [fileStep(given, path, exists === false ? 'files.create' : 'files.cannot_check')]
  })
}

function fileStep(
  given: string,
  path: string,
  code: 'files.create' | 'files.cannot_check',
): KeyedStep {
  const known = code === 'files.create'
  return {
    key: `file ${path}`,
    code,
    text: known ? `Create \`${given}\`` : `Make \`${given}\` visible to the runtime`,
    owner: known ? 'agent' : 'operator',
    since: null,
    action: { kind: 'file', path },
    obstacle: null,
  }
}

export const filesExistWords: RuleWords<FilesExistCheckerDocument> = {
  describe: ({ files }) => `${names(files)} ${files.length === 1 ? 'exists' : 'exist'}`,
  sentences: {
    'files.all_exist': (p) => `${list(p['files'])} ${isOne(p['files']) ? 'exists' : 'exist'}`,
    'files.missing': filesSentence,
    'files.unknown': (p) => `Whether these files exist is unknown: ${list(p['unknown'])}`,
  },
}

function filesSentence(params: JsonObject): string {
  const missing = list(params['missing'])
  return isOne(params['missing'])
    ? `Required file ${missing} is missing`
    : `Required files are missing: ${missing}`
}
