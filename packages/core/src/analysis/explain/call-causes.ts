import type { CompiledConfig } from '../../engine/compile.ts'
import { listToolsToRun, namesIn } from '../../kinds/base/policy-reason.ts'
import { toCall } from '../../kinds/policies/call.ts'
import { findNormalPath } from '../../kinds/policies/path-argument.ts'
import { policyReason } from '../../kinds/policies.ts'
import type { RuleResult } from '../../model/effect.ts'
import { getIn, listEntries } from '../../model/persistent-map.ts'
import { lastSuccess, type SessionState } from '../../model/state.ts'
import type { CauseRole, Mark } from './cause.ts'
import type { DecidingEvent } from './find-decision.ts'
import { missingFile, missingTool, type Past } from './missing.ts'
import { fileKey } from './trail.ts'

export interface CallContext {
  readonly config: CompiledConfig
  readonly before: SessionState
  readonly event: DecidingEvent
  readonly past: Past
}

export function findMissingNames(
  rule: RuleResult,
  context: Omit<CallContext, 'past'>,
): readonly string[] {
  const { basis } = policyReason(rule.code)
  if (basis === 'missing_tools') return listToolsToRun(rule)
  const file = basis === 'unread_file' ? findCallFile(rule, context) : null
  return file === null ? [] : [file]
}

export function markRule(rule: RuleResult, context: CallContext): readonly Mark[] {
  const { past } = context
  const asEvent = (role: CauseRole): Mark => ({ seq: requestSeq(context), role })
  const results = (role: CauseRole): readonly Mark[] => rule.because.map((seq) => ({ seq, role }))
  const { basis } = policyReason(rule.code)
  switch (basis) {
    case 'tools':
      return results('success')
    case 'missing_tools': {
      const missing = namesIn(rule.params['missing'])
      const newer = new Set(
        namesIn(rule.params['newer']).map((tool) => lastSuccess(context.before, tool)),
      )
      return [
        ...rule.because.map((seq) => ({
          seq,
          role: newer.has(seq) ? ('made_outdated' as const) : ('success' as const),
        })),
        ...missing.flatMap((tool) => missingTool(past, tool)),
      ]
    }
    case 'read_file':
      return [...results('read'), asEvent('fact')]
    case 'unread_file': {
      const file = findCallFile(rule, context)
      return [...(file === null ? [] : missingFile(past, file)), asEvent('fact')]
    }
    case 'changed_file':
      return [...results('outdated_read'), ...laterWrite(rule, context), asEvent('fact')]
    case 'file':
    case 'unknown_file':
    case 'answer':
      return [asEvent('fact')]
    case 'calls':
      return countedCalls(rule, context)
    case 'approval':
      return results('answer')
    case 'input':
    case 'path':
      return [asEvent('input')]
    default:
      return basis satisfies never
  }
}

/** An approval is about an earlier request. */
function requestSeq({ event, before }: CallContext): number {
  if (event.type !== 'approval.decided') return event.seq
  return getIn(before.pending, event.data.call_id)?.seq ?? event.seq
}

function findCallFile(
  { rule, params }: RuleResult,
  { config, before, event }: Omit<CallContext, 'past'>,
): string | null {
  if (event.type !== 'tool.requested') return null
  const call = toCall(config, event.data, before)
  const memory = config.rulesFor(call.tool).policies.find(({ id }) => id === rule)?.policy.reads
  const path = memory ? findNormalPath(call.paths, memory.form, params['path']) : null
  return memory && path ? fileKey(memory.form.key, path) : null
}

/** A write after the read, which the rule does not count as a read. Empty: something outside the session changed the file. */
function laterWrite(rule: RuleResult, context: CallContext): readonly Mark[] {
  const file = findCallFile(rule, context)
  const seq = file === null ? undefined : context.past.trail.fileSuccesses.get(file)
  const read = rule.because[0]
  if (seq === undefined || read === undefined || seq <= read) return []
  return [{ seq, role: 'made_outdated' }]
}

function countedCalls(rule: RuleResult, { before, event }: CallContext): readonly Mark[] {
  const seconds = rule.params['per_seconds']
  const since = event.at - (typeof seconds === 'number' ? seconds * 1000 : 0)
  const window = getIn(before.rates, rule.rule)
  const calls = window === undefined ? [] : listEntries(window.ring).map(([, call]) => call)
  return calls.filter(({ at }) => at > since).map(({ seq }) => ({ seq, role: 'counted_call' }))
}
