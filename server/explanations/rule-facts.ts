import type { Facts, JsonValue, RuleResult } from '@signalbox/core'
import { plural, policyReason, type ReasonBasis } from '@signalbox/core/analysis'

/** Markdown code spans mark names. */
export type RuleFact = string

const EXISTS = { true: 'existed', false: 'did not exist', unknown: 'may exist: not checked' }

function list(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

function fileFacts(
  { code, params, because }: RuleResult,
  facts: Facts | undefined,
  basis: ReasonBasis,
): readonly string[] {
  const path = params['path']
  if (typeof path !== 'string') return []
  // Facts are by path within the workspace; the call may name the file by its absolute path.
  const files = facts?.files ?? {}
  const [name] = Object.keys(files)
    .filter((one) => path.startsWith('/') && path.endsWith(`/${one}`))
    .sort((one, other) => other.length - one.length)
  const file = files[path] ?? (code === 'file.outside_workspace' ? undefined : files[name ?? path])
  const kind = file?.kind === 'directory' ? ', a directory' : ''
  const state = EXISTS[`${file?.exists ?? 'unknown'}`]
  const found = `\`${path}\` ${state}${kind}`
  if (basis === 'unread_file') return [found, 'it is not among the files that were read']
  if (basis !== 'read_file' && basis !== 'changed_file') return [found]
  const [read] = because
  const same = basis === 'changed_file' ? ', and its content is another now' : ''
  return [found, `it was read${read === undefined ? '' : ` at #${read}`}${same}`]
}

function sequentialFacts({ params }: RuleResult): readonly string[] {
  const missing = list(params['missing'])
  const had = list(params['needed']).filter((tool) => !missing.includes(tool))
  return [
    ...missing.map((tool) => `\`${tool}\` has not succeeded in this session`),
    ...had.map((tool) => `\`${tool}\` had succeeded`),
  ]
}

function answerFact(rule: string, facts: Facts | undefined): readonly string[] {
  const answer = facts?.answers?.[rule]
  if (answer === undefined) return ['no answer was recorded']
  if (answer.kind === 'error') return [`its code failed: ${answer.error}`]
  if (answer.kind === 'policy') return [`its code ${answer.allow ? 'allowed' : 'denied'}`]
  return ['its answer had another type than requested']
}

/** In the order in which the rule reads them. Empty: the rule's sentence contains everything. */
export function listRuleFacts(result: RuleResult, facts: Facts | undefined): readonly RuleFact[] {
  const { basis } = policyReason(result.code)
  switch (basis) {
    case 'file':
    case 'path':
    case 'unknown_file':
    case 'read_file':
    case 'unread_file':
    case 'changed_file':
      return fileFacts(result, facts, basis)
    case 'tools':
    case 'missing_tools':
      return sequentialFacts(result)
    case 'calls':
      return [
        `${plural(result.because.length, 'call')} ${result.because.length === 1 ? 'counts' : 'count'} against the limit`,
      ]
    case 'answer':
      return answerFact(result.rule, facts)
    case 'input':
    case 'approval':
      return []
    default:
      return basis satisfies never
  }
}
