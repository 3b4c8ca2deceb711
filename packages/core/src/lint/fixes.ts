// A problem with several equal solutions gets no fix: the author decides.

import { CHECKER_TYPES } from '../kinds/checkers.ts'
import type { CompileOptions } from '../kinds/compile-options.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import { PROVIDER_TYPES } from '../kinds/feedback.ts'
import type { PlacedDocument } from '../kinds/placed.ts'
import { POLICY_TYPES } from '../kinds/policies.ts'
import { isJsonObject, type JsonValue } from '../model/json.ts'
import { LEASE_DEFAULTS, type LeaseDocument } from '../model/lease-calibration.ts'
import type { Problem, ProblemFix } from '../model/problem.ts'
import { nearestName } from './nearest-name.ts'

export interface FixContext {
  readonly document: ConfigDocument
  readonly placed: PlacedDocument
  readonly options: CompileOptions
}

export function withFix(problem: Problem, context: FixContext): Problem {
  const fix = FIXES[problem.code]?.(problem, context) ?? null
  return fix === null ? problem : { ...problem, fix }
}

type MakeFix = (problem: Problem, context: FixContext) => ProblemFix | null

const FIXES: { readonly [code: string]: MakeFix } = {
  duplicate_section_id: freeSectionId,
  duplicate_rule_id: freeRuleId,
  duplicate_tool: removeIt,
  unknown_type: nearestType,
  skipped_unknown_type: nearestType,
  self_dependency: removeIt,
  dependency_cycle: removeIt,
  unmet_prerequisite: (problem, context) => nearestTool(problem, context) ?? removeIt(problem),
  undeclared_tool: nearestTool,
  check_never_passes: fixCheckerName,
  check_always_passes: removeIt,
  unreachable_check: removeIt,
  empty_trigger: ({ pointer }) => set(`${pointer}/every_n_calls`, 10),
  noisy_trigger: ({ pointer }) => set(`${pointer}/every_n_calls`, 10),
  threshold_shorter_than_period: shorterPeriod,
  file_outside_workspace: fileInside,
  empty_composite: ({ pointer }) => ({ kind: 'remove', pointer: toParentPointer(pointer) }),
  rule_without_effect: removeIt,
  provider_never_heard: removeIt,
  only_writers_read: fewerWriters,
  stops_never_blocked: removeIt,
  lease_calibration: fittingTime,
}

function set(pointer: string, value: JsonValue): ProblemFix {
  return { kind: 'set', pointer, value }
}

function removeIt({ pointer }: Problem): ProblemFix {
  return { kind: 'remove', pointer }
}

function toParentPointer(pointer: string): string {
  return pointer.slice(0, pointer.lastIndexOf('/'))
}

function splitPointer(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function valueAt(document: ConfigDocument, pointer: string): unknown {
  return splitPointer(pointer).reduce<unknown>((node, step) => {
    if (Array.isArray(node)) return node[Number(step)]
    return isJsonObject(node) ? node[step] : undefined
  }, document)
}

function freeSectionId(problem: Problem, { document, placed }: FixContext): ProblemFix | null {
  const ids = placed.sections.map(({ item }) => item.id)
  return freeId(problem, valueAt(document, problem.pointer), ids)
}

function freeRuleId(problem: Problem, { document, placed }: FixContext): ProblemFix | null {
  const rules = [...placed.policies, ...placed.providers, ...placed.checkers]
  const ids = rules.map(({ item }) => item.id)
  return freeId(problem, valueAt(document, problem.pointer), ids)
}

function freeId({ pointer }: Problem, id: unknown, taken: readonly string[]): ProblemFix | null {
  if (typeof id !== 'string') return null
  for (let n = 2; ; n++) {
    if (!taken.includes(`${id}-${n}`)) return set(pointer, `${id}-${n}`)
  }
}

function nearestType({ pointer }: Problem, { document, options }: FixContext): ProblemFix | null {
  const { customTypes = [] } = options
  const known = [...typesAt(pointer), ...(customTypes === 'any' ? [] : customTypes)]
  const at = pointer.endsWith('/type') ? pointer : `${pointer}/type`
  return nearestAt(at, valueAt(document, at), known)
}

function typesAt(pointer: string): readonly string[] {
  if (pointer.startsWith('/task_completion_checker')) return CHECKER_TYPES
  return pointer.startsWith('/feedback_providers') ? PROVIDER_TYPES : POLICY_TYPES
}

function nearestAt(pointer: string, name: unknown, known: Iterable<string>): ProblemFix | null {
  const meant = typeof name === 'string' ? nearestName(name, known) : null
  return meant === null ? null : set(pointer, meant)
}

function nearestTool({ pointer }: Problem, { document, placed }: FixContext): ProblemFix | null {
  const { declaredTools: known } = placed
  const value = valueAt(document, pointer)
  if (typeof value === 'string') return nearestAt(pointer, value, known)
  const name = nearestName(splitPointer(pointer).at(-1) ?? '', known)
  const isFree =
    name !== null && valueAt(document, `${toParentPointer(pointer)}/${name}`) === undefined
  return isFree ? { kind: 'rename', pointer, name } : null
}

function fixCheckerName({ pointer }: Problem, { document, placed }: FixContext): ProblemFix | null {
  const at = `${pointer}/tool`
  return nearestAt(at, valueAt(document, at), placed.declaredTools)
}

function shorterPeriod({ pointer }: Problem, { document }: FixContext): ProblemFix | null {
  const seconds = valueAt(document, `${toParentPointer(pointer)}/warning_threshold_seconds`) ?? 120
  return typeof seconds === 'number' ? set(`${pointer}/every_n_seconds`, seconds) : null
}

function fileInside({ pointer }: Problem, { document }: FixContext): ProblemFix | null {
  const at = pointer.endsWith('/on_file_created') ? `${pointer}/filename` : pointer
  const file = valueAt(document, at)
  if (typeof file !== 'string') return null
  const steps = file.split('/').filter((step) => !['', '.', '..'].includes(step))
  return steps.length === 0 ? null : set(at, steps.join('/'))
}

function fewerWriters({ pointer }: Problem, { document }: FixContext): ProblemFix | null {
  const at = `${toParentPointer(pointer)}/write_tools`
  const [readers, writers] = [valueAt(document, pointer), valueAt(document, at)]
  if (!Array.isArray(readers) || !Array.isArray(writers)) return null
  const left = writers.filter((tool) => !readers.includes(tool))
  return left.length === 0 ? null : set(at, left)
}

/** Suggests the nearest whole number that fits the other times. null: none fits, or the time is not a number. */
function fittingTime({ pointer }: Problem, { document }: FixContext): ProblemFix | null {
  const times = { ...LEASE_DEFAULTS, ...document.lease }
  const value = fitting(pointer.slice('/lease/'.length), times)
  return value === null || value < 1 ? null : set(pointer, value)
}

function fitting(field: string, times: Required<LeaseDocument>): number | null {
  const { visibility_timeout, watchdog_threshold, max_processing_time, extension } = times
  switch (field) {
    case 'visibility_timeout':
      return Math.floor(watchdog_threshold + max_processing_time) + 1
    case 'extension':
      return Math.ceil(visibility_timeout) - 1
    case 'interval':
      return Math.ceil(extension / 2) - 1
    default:
      return null
  }
}
