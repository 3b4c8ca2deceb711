import { pointerTo } from '../../model/json.ts'
import { getIn } from '../../model/persistent-map.ts'
import type { CheckerBase } from '../../model/rule.ts'
import { lastSuccess, type SessionState } from '../../model/state.ts'
import { place } from '../base/place.ts'
import { list, names, type RuleWords, text } from '../base/rule-words.ts'
import { type CheckOutcome, type LeafChecker, leafChecker, outcome } from './checker.ts'
import { type CheckerRule, includesAll } from './checker-rule.ts'

/** The last result of `tool` must be a success, and newer than the last success of any tool in `after`. */
export interface ToolSucceededCheckerDocument extends CheckerBase {
  readonly type: 'tool_succeeded'
  readonly tool: string
  readonly after?: readonly string[]
}

export function toolSucceededChecker(
  document: ToolSucceededCheckerDocument,
  pointer: string,
): LeafChecker {
  return leafChecker(document, pointer, { check: ({ state }) => check(document, state) })
}

function check(
  { tool, after = [] }: ToolSucceededCheckerDocument,
  state: SessionState,
): CheckOutcome {
  const tally = getIn(state.tallies, tool)
  const lastSeq = tally?.lastSeq ?? null
  const params = { tool }
  if (tally === undefined || lastSeq === null) {
    return outcome('incomplete', 'tool.not_run', {
      params,
      feedback: `Tool '${tool}' has not run yet.`,
    })
  }
  const because = [lastSeq]
  if (tally.last !== 'success') {
    const feedback = `The last run of tool '${tool}' did not succeed.`
    return outcome('incomplete', 'tool.last_run_failed', { params, feedback, because })
  }
  const newer = after.filter((name) => lastSuccess(state, name) > lastSeq)
  if (newer.length > 0) {
    const changes = newer.map((name) => lastSuccess(state, name))
    return outcome('incomplete', 'tool.outdated', {
      params: { tool, newer },
      feedback: `Tool '${tool}' must succeed again after: ${newer.join(', ')}.`,
      because: [lastSeq, ...changes].sort((a, b) => a - b),
    })
  }
  const feedback = `Tool '${tool}' succeeded.`
  return outcome('passed', 'tool.succeeded', { params, feedback, because })
}

export const toolSucceededRule: CheckerRule<ToolSucceededCheckerDocument> = {
  errors: () => [],
  stepWithModel: () => null,
  toolsRequired: ({ tool }, pointer) => [{ item: tool, pointer: pointerTo(pointer, 'tool') }],
  toolsWatched: ({ after = [] }, pointer) => place(after, pointerTo(pointer, 'after')),
  restsOn: null,
  answer: ({ tool }, isReachable) => (isReachable(tool) ? 'depends' : 'never'),
  implies: (strict, lax) =>
    strict.tool === lax.tool && includesAll(strict.after ?? [], lax.after ?? []),
  run: ({ tool, after = [] }) => ({ tool, after: after.filter((other) => other !== tool) }),
  steps: () => [],
  unknownBefore: () => null,
}

export const toolSucceededWords: RuleWords<ToolSucceededCheckerDocument> = {
  describe: ({ tool, after = [] }) => {
    const since = after.length === 0 ? '' : ` since the last ${names(after, 'or')}`
    return `\`${tool}\` succeeded${since}`
  },
  sentences: {
    'tool.succeeded': (p) => `${text(p['tool'])} succeeded`,
    'tool.not_run': (p) => `${text(p['tool'])} has not run`,
    'tool.last_run_failed': (p) => `The last run of ${text(p['tool'])} did not succeed`,
    'tool.outdated': (p) => `${text(p['tool'])} has not succeeded since ${list(p['newer'])}`,
  },
}
