// What is wrong or suspicious in a config document beyond its shape. Errors refuse the document; warnings are advice.
import { answersFor, type CompileOptions } from './compile-options.ts'
import { CHECKER_TYPES, isKnownChecker } from './completion/registry.ts'
import type {
  CheckerDocument,
  ConfigDocument,
  DeadlineProviderDocument,
  FeedbackProviderDocument,
  KnownPolicyDocument,
  PolicyDocument,
  SectionDocument,
} from './config.ts'
import { DEFAULT_WARNING_THRESHOLD_SECONDS } from './feedback/deadline.ts'
import { isKnownProvider, PROVIDER_TYPES } from './feedback/registry.ts'
import { pointerTo } from './json.ts'
import { calibrationProblems } from './lease-calibration.ts'
import { dependencyProblems } from './lint-dependencies.ts'
import { expressionCheckerProblems, expressionPolicyProblems } from './lint-expressions.ts'
import { normalizePath } from './path.ts'
import { isKnownPolicy, POLICY_TYPES } from './policies/registry.ts'
import type { Problem } from './problem.ts'

const MAX_CHECKER_DEPTH = 16

interface Placed<Item> {
  readonly item: Item
  readonly pointer: string
}

/** Problems in document order; the same document always gives the same list. */
export function lintConfig(
  document: ConfigDocument,
  options: CompileOptions = {},
): readonly Problem[] {
  const sections = place(document.sections ?? [], '/sections').flatMap(withNested)
  const policies = [
    ...sections.flatMap(({ item, pointer }) =>
      place(item.policies ?? [], pointerTo(pointer, 'policies')),
    ),
    ...place(document.policies ?? [], '/policies'),
  ]
  const providers = place(document.feedback_providers ?? [], '/feedback_providers')
  const root = document.task_completion_checker
  const checkers =
    root === undefined ? [] : checkersBelow({ item: root, pointer: '/task_completion_checker' }, 1)
  return [
    ...duplicates(sections, 'section'),
    ...duplicateTools(sections),
    ...duplicates([...policies, ...providers, ...checkers], 'rule'),
    ...policies.flatMap((policy) => policyProblems(policy, options)),
    ...sections.flatMap(sectionProblems),
    ...dependencyProblems(policies, declaredTools(document)),
    ...providers.flatMap((provider) => providerProblems(provider, options)),
    ...checkers.flatMap((checker) => checkerProblems(checker, options)),
    ...(document.lease === undefined ? [] : calibrationProblems(document.lease, '/lease')),
  ]
}

/** Canonical names of all declared tools; empty when the document declares none. */
function declaredTools(document: ConfigDocument): ReadonlySet<string> {
  const sections = place(document.sections ?? [], '').flatMap(withNested)
  return new Set(sections.flatMap(({ item }) => item.tools ?? []))
}

function place<Item>(items: readonly Item[], pointer: string): Placed<Item>[] {
  return items.map((item, i) => ({ item, pointer: pointerTo(pointer, i) }))
}

function withNested(section: Placed<SectionDocument>): Placed<SectionDocument>[] {
  const below = place(section.item.sections ?? [], pointerTo(section.pointer, 'sections'))
  return [section, ...below.flatMap(withNested)]
}

interface PlacedChecker extends Placed<CheckerDocument> {
  readonly depth: number
}

function checkersBelow({ item, pointer }: Placed<CheckerDocument>, depth: number): PlacedChecker[] {
  const here = { item, pointer, depth }
  if (!isKnownChecker(item) || item.type !== 'composite') return [here]
  if (depth > MAX_CHECKER_DEPTH) return [here]
  const below = place(item.checkers, pointerTo(pointer, 'checkers'))
  return [here, ...below.flatMap((child) => checkersBelow(child, depth + 1))]
}

function error(pointer: string, code: string, message: string): Problem {
  return { pointer, code, severity: 'error', message }
}

function warning(pointer: string, code: string, message: string): Problem {
  return { pointer, code, severity: 'warning', message }
}

function duplicates(items: readonly Placed<{ readonly id: string }>[], noun: string): Problem[] {
  const first = new Map<string, string>()
  return items.flatMap(({ item, pointer }) => {
    const known = first.get(item.id)
    if (known === undefined) {
      first.set(item.id, pointer)
      return []
    }
    const message = `The ${noun} id "${item.id}" is already used at ${known}. Give this one another id.`
    return [error(pointerTo(pointer, 'id'), `duplicate_${noun}_id`, message)]
  })
}

function duplicateTools(sections: readonly Placed<SectionDocument>[]): Problem[] {
  const first = new Map<string, string>()
  return sections.flatMap(({ item, pointer }) =>
    place(item.tools ?? [], pointerTo(pointer, 'tools')).flatMap(({ item: tool, pointer: at }) => {
      const known = first.get(tool)
      if (known === undefined) {
        first.set(tool, at)
        return []
      }
      const message = `The tool "${tool}" is already declared at ${known}. Declare it in one section only.`
      return [error(at, 'duplicate_tool', message)]
    }),
  )
}

/** A custom type that code answers for is fine. */
function unknownType(
  { item, pointer }: Placed<{ readonly type: string; readonly optional?: boolean }>,
  known: readonly string[],
  options: CompileOptions,
): Problem[] {
  if (answersFor(options)(item.type)) return []
  const list = known.join(', ')
  const at = pointerTo(pointer, 'type')
  return item.optional === true
    ? [
        warning(
          at,
          'skipped_unknown_type',
          `The type "${item.type}" is not known here, so this optional rule is skipped.`,
        ),
      ]
    : [
        error(
          at,
          'unknown_type',
          `The type "${item.type}" is not known here. Use one of: ${list}, or a custom type that the runtime has code for.`,
        ),
      ]
}

function policyProblems(
  policy: Placed<PolicyDocument>,
  options: CompileOptions,
): readonly Problem[] {
  const { item, pointer } = policy
  if (!isKnownPolicy(item)) return unknownType(policy, POLICY_TYPES, options)
  if (item.type === 'expression') return expressionPolicyProblems(item, pointer, options)
  if (item.type !== 'read_before_write') return []
  const trapped = item.read_tools.length === 0 && item.write_tools.length > 0
  if (!trapped) return []
  const message =
    'No tool can read, so every existing file is locked. Name the tools that read in read_tools.'
  return [error(pointerTo(pointer, 'read_tools'), 'no_read_tool', message)]
}

function sectionProblems({ item, pointer }: Placed<SectionDocument>): Problem[] {
  const own = new Set(item.tools ?? [])
  return place(item.policies ?? [], pointerTo(pointer, 'policies')).flatMap(
    ({ item: policy, pointer: at }) => {
      if (!isKnownPolicy(policy)) return []
      const foreign = toolsDeniedBy(policy).filter((tool) => !own.has(tool))
      if (foreign.length === 0) return []
      const message = `A section's rule governs only the section's tools, and ${foreign.join(', ')} is not declared in it. Move the rule to the prompt or declare the tool here.`
      return [warning(at, 'rule_outside_section', message)]
    },
  )
}

/** Tools that a policy names as those it can deny; empty when it governs every tool. */
function toolsDeniedBy(policy: KnownPolicyDocument): readonly string[] {
  switch (policy.type) {
    case 'read_before_write':
      return policy.write_tools
    case 'sequential_dependency':
      return Object.keys(policy.dependencies)
    default:
      return policy.tools ?? []
  }
}

function providerProblems(
  provider: Placed<FeedbackProviderDocument>,
  options: CompileOptions,
): Problem[] {
  const { item, pointer } = provider
  const at = pointerTo(pointer, 'trigger')
  const { every_n_calls: calls, every_n_seconds: seconds, on_file_created: created } = item.trigger
  const problems: Problem[] = []
  if (!isKnownProvider(item)) problems.push(...unknownType(provider, PROVIDER_TYPES, options))
  if (calls === undefined && seconds === undefined && created === undefined) {
    const message =
      'The trigger has no condition, so it never fires. Add every_n_calls, every_n_seconds or on_file_created.'
    problems.push(error(at, 'empty_trigger', message))
  }
  if (calls === 1) {
    problems.push(
      warning(
        at,
        'noisy_trigger',
        'This provider speaks after every call. A larger every_n_calls is easier to read.',
      ),
    )
  }
  if (
    created !== undefined &&
    normalizePath(created.filename, { workspaceRoot: null, mountPoint: null }) === null
  ) {
    problems.push(
      error(
        pointerTo(at, 'on_file_created'),
        'file_outside_workspace',
        `The file "${created.filename}" lies outside the workspace. Give a path inside it.`,
      ),
    )
  }
  const threshold = isKnownProvider(item) && item.type === 'deadline' ? thresholdOf(item) : null
  if (threshold !== null && calls === undefined && seconds !== undefined && seconds > threshold) {
    const message = `The warning begins ${threshold} s before the deadline but feedback comes every ${seconds} s, so the warning may never be given. Shorten every_n_seconds or raise warning_threshold_seconds.`
    problems.push(warning(at, 'threshold_shorter_than_period', message))
  }
  return problems
}

function thresholdOf(item: DeadlineProviderDocument): number {
  return item.warning_threshold_seconds ?? DEFAULT_WARNING_THRESHOLD_SECONDS
}

function checkerProblems(
  { item, pointer, depth }: PlacedChecker,
  options: CompileOptions,
): readonly Problem[] {
  if (depth > MAX_CHECKER_DEPTH) {
    return [
      error(
        pointer,
        'too_deep',
        `Checkers are nested deeper than ${MAX_CHECKER_DEPTH}. Flatten the tree.`,
      ),
    ]
  }
  if (!isKnownChecker(item)) return unknownType({ item, pointer }, CHECKER_TYPES, options)
  switch (item.type) {
    case 'plan':
    case 'tool_succeeded':
    case 'llm_judge':
      return []
    case 'expression':
      return expressionCheckerProblems(item, pointer, options)
    case 'composite':
      return item.checkers.length > 0
        ? []
        : [
            warning(
              pointerTo(pointer, 'checkers'),
              'empty_composite',
              'A composite without checkers always passes. Add a checker or remove it.',
            ),
          ]
    case 'files_exist':
      return place(item.files, pointerTo(pointer, 'files')).flatMap(
        ({ item: file, pointer: at }) =>
          normalizePath(file, { workspaceRoot: null, mountPoint: null }) === null
            ? [
                error(
                  at,
                  'file_outside_workspace',
                  `The file "${file}" lies outside the workspace, so no stop could ever pass. Give a path inside it.`,
                ),
              ]
            : [],
      )
    default:
      return item satisfies never
  }
}
