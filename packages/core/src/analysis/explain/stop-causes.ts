import type { CheckResult, StopDecision } from '../../model/effect.ts'
import type { EventOf } from '../../model/event.ts'
import type { JsonValue } from '../../model/json.ts'
import type { SessionState } from '../../model/state.ts'
import type { CauseRole, Mark } from './cause.ts'
import { missingTool, type Past } from './missing.ts'

export interface StopContext {
  readonly before: SessionState
  readonly event: EventOf<'stop.attempted'>
  readonly past: Past
}

export function wantedByCheck(check: CheckResult): readonly string[] {
  const own = check.code === 'tool.not_run' ? toTextList(check.params['tool']) : []
  return [...own, ...(check.children ?? []).flatMap(wantedByCheck)]
}

function toTextList(value: JsonValue | undefined): readonly string[] {
  return typeof value === 'string' ? [value] : []
}

export function markCheck(check: CheckResult, context: StopContext): readonly Mark[] {
  const { event, past } = context
  const asEvent = (role: CauseRole): Mark => ({ seq: event.seq, role })
  const because = (role: CauseRole): readonly Mark[] => check.because.map((seq) => ({ seq, role }))
  if (check.children !== undefined) return markComposite(check, context)
  switch (check.code) {
    case 'plan.done':
    case 'plan.open_steps':
      return because('plan')
    case 'plan.none':
    case 'check.not_evaluated':
    case 'check.bypassed':
      return []
    case 'tool.succeeded':
      return because('success')
    case 'tool.not_run':
      return toTextList(check.params['tool']).flatMap((tool) => missingTool(past, tool))
    case 'tool.last_run_failed':
      return toTextList(check.params['tool']).flatMap((tool) => past.trail.runs.get(tool) ?? [])
    case 'tool.outdated':
      return outdated(check)
    case 'expression.holds':
    case 'expression.does_not_hold':
    case 'expression.not_evaluated':
      return [asEvent('input')]
    default:
      return [asEvent('fact')]
  }
}

/** The first event is the success that no longer counts; the others outdated it. */
function outdated({ because: [first, ...newer] }: CheckResult): readonly Mark[] {
  const success: readonly Mark[] =
    first === undefined ? [] : [{ seq: first, role: 'outdated_success' }]
  return [...success, ...newer.map((seq) => ({ seq, role: 'made_outdated' }) as const)]
}

function markComposite(check: CheckResult, context: StopContext): readonly Mark[] {
  const { children = [], params } = check
  const deciding = children.filter(({ checker }) => checker === params['cause'])
  const relevant = deciding.length > 0 ? deciding : children
  return relevant.flatMap((child) => markCheck(child, context))
}

export function markStop(decision: StopDecision, context: StopContext): readonly Mark[] {
  const { deadlineSeq, budgetSeq, blocks } = context.past.trail
  switch (decision.bypass) {
    case 'deadline':
      return deadlineSeq === null ? [] : [{ seq: deadlineSeq, role: 'deadline' }]
    case 'budget':
      return budgetSeq === null ? [] : [{ seq: budgetSeq, role: 'budget' }]
    case 'max_blocks':
      return blocks.map((seq) => ({ seq, role: 'earlier_block' }))
    case 'ended': {
      const { control } = context.before
      return control === null ? [] : [{ seq: control.seq, role: 'order' }]
    }
    default:
      return decision.check === null ? [] : markCheck(decision.check, context)
  }
}
