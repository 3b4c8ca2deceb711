// What refuses a document: whatever could not be decided the way its author meant it. Compiling asks this, so it is kept
// apart from the advice of `lint/`, which only people need.
import { type CompileOptions, isAnswered } from '../compile-options.ts'
import { CHECKER_TYPES, isKnownChecker } from '../completion/registry.ts'
import type { ConfigDocument, FeedbackProviderDocument, PolicyDocument } from '../config.ts'
import { isKnownProvider, PROVIDER_TYPES } from '../feedback/registry.ts'
import { pointerTo } from '../json.ts'
import { calibrationProblems } from '../lease-calibration.ts'
import { normalizePath } from '../path.ts'
import { isKnownPolicy, POLICY_TYPES } from '../policies/registry.ts'
import type { Problem } from '../problem.ts'
import { dependencyErrors } from './dependency-errors.ts'
import { expressionCheckerErrors, expressionPolicyErrors } from './expression-errors.ts'
import {
  error,
  MAX_CHECKER_DEPTH,
  type Placed,
  type PlacedChecker,
  place,
  placeDocument,
  warning,
} from './placed.ts'

/** All errors, and a warning for each optional rule that is skipped because nobody answers for its type. */
export function refusals(
  document: ConfigDocument,
  options: CompileOptions = {},
): readonly Problem[] {
  const { sections, policies, providers, checkers, declaredTools } = placeDocument(document)
  const tools = sections.flatMap(({ item, pointer }) =>
    place(item.tools ?? [], pointerTo(pointer, 'tools')),
  )
  return [
    ...repeated(sections.map(idOf), 'duplicate_section_id', sectionTwice),
    ...repeated(tools, 'duplicate_tool', toolTwice),
    ...repeated([...policies, ...providers, ...checkers].map(idOf), 'duplicate_rule_id', ruleTwice),
    ...policies.flatMap((policy) => policyErrors(policy, options)),
    ...dependencyErrors(policies, declaredTools),
    ...providers.flatMap((provider) => providerErrors(provider, options)),
    ...checkers.flatMap((checker) => checkerErrors(checker, options)),
    ...(document.lease === undefined ? [] : calibrationProblems(document.lease, '/lease')),
  ]
}

function idOf({ item, pointer }: Placed<{ readonly id: string }>): Placed<string> {
  return { item: item.id, pointer: pointerTo(pointer, 'id') }
}

type Twice = (name: string, first: string) => string

const sectionTwice: Twice = (id, first) =>
  `The section id "${id}" is already used at ${first}. Give this one another id.`
const ruleTwice: Twice = (id, first) =>
  `The rule id "${id}" is already used at ${first}. Give this one another id.`
const toolTwice: Twice = (tool, first) =>
  `The tool "${tool}" is already declared at ${first}. Declare it in one section only.`

function repeated(names: readonly Placed<string>[], code: string, message: Twice): Problem[] {
  const first = new Map<string, string>()
  return names.flatMap(({ item, pointer }) => {
    const known = first.get(item)
    if (known === undefined) {
      first.set(item, pointer)
      return []
    }
    return [error(pointer, code, message(item, known.replace(/\/id$/, '')))]
  })
}

/** A custom type that code answers for is fine. */
function unknownType(
  { item, pointer }: Placed<{ readonly type: string; readonly optional?: boolean }>,
  known: readonly string[],
  options: CompileOptions,
): Problem[] {
  if (isAnswered(item.type, options)) return []
  const at = pointerTo(pointer, 'type')
  if (item.optional === true) {
    const message = `The type "${item.type}" is not known here, so this optional rule is skipped.`
    return [warning(at, 'skipped_unknown_type', message)]
  }
  const message = `The type "${item.type}" is not known here. Use one of: ${known.join(', ')}, or a custom type that the runtime has code for.`
  return [error(at, 'unknown_type', message)]
}

function policyErrors(policy: Placed<PolicyDocument>, options: CompileOptions): readonly Problem[] {
  const { item, pointer } = policy
  if (!isKnownPolicy(item)) return unknownType(policy, POLICY_TYPES, options)
  if (item.type === 'expression') return expressionPolicyErrors(item, pointer, options)
  if (item.type !== 'read_before_write') return []
  const trapped = item.read_tools.length === 0 && item.write_tools.length > 0
  if (!trapped) return []
  const message =
    'No tool can read, so every existing file is locked. Name the tools that read in read_tools.'
  return [error(pointerTo(pointer, 'read_tools'), 'no_read_tool', message)]
}

function providerErrors(
  provider: Placed<FeedbackProviderDocument>,
  options: CompileOptions,
): readonly Problem[] {
  const { item, pointer } = provider
  const at = pointerTo(pointer, 'trigger')
  const { every_n_calls: calls, every_n_seconds: seconds, on_file_created: created } = item.trigger
  const problems = isKnownProvider(item) ? [] : unknownType(provider, PROVIDER_TYPES, options)
  if (calls === undefined && seconds === undefined && created === undefined) {
    const message =
      'The trigger has no condition, so it never fires. Add every_n_calls, every_n_seconds or on_file_created.'
    return [...problems, error(at, 'empty_trigger', message)]
  }
  if (created === undefined || isInside(created.filename)) return problems
  const message = `The file "${created.filename}" lies outside the workspace. Give a path inside it.`
  return [...problems, error(pointerTo(at, 'on_file_created'), 'file_outside_workspace', message)]
}

function isInside(file: string): boolean {
  return normalizePath(file, { workspaceRoot: null, mountPoint: null }) !== null
}

function checkerErrors(
  { item, pointer, depth }: PlacedChecker,
  options: CompileOptions,
): readonly Problem[] {
  if (depth > MAX_CHECKER_DEPTH) {
    const message = `Checkers are nested deeper than ${MAX_CHECKER_DEPTH}. Flatten the tree.`
    return [error(pointer, 'too_deep', message)]
  }
  if (!isKnownChecker(item)) return unknownType({ item, pointer }, CHECKER_TYPES, options)
  if (item.type === 'expression') return expressionCheckerErrors(item, pointer, options)
  if (item.type !== 'files_exist') return []
  const outside = place(item.files, pointerTo(pointer, 'files')).filter(
    (file) => !isInside(file.item),
  )
  return outside.map(({ item: file, pointer: at }) =>
    error(
      at,
      'file_outside_workspace',
      `The file "${file}" lies outside the workspace, so no stop could ever pass. Give a path inside it.`,
    ),
  )
}
