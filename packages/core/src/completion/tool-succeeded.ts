// tool_succeeded: the last result of a tool is a success, and nothing that it must come after has happened since.
import type { ToolSucceededCheckerDocument } from '../config.ts'
import { getIn } from '../persistent-map.ts'
import type { SessionState } from '../state.ts'
import type { CheckOutcome, LeafChecker } from './checker.ts'

export function toolSucceededChecker(
  document: ToolSucceededCheckerDocument,
  pointer: string,
): LeafChecker {
  return {
    kind: 'leaf',
    id: document.id,
    pointer,
    type: 'tool_succeeded',
    files: [],
    external: false,
    check: ({ state }) => check(document, state),
  }
}

/** Tools in `after` that succeeded later than `seq`, with the sequence number of that success. */
function newerThan(
  { after = [] }: ToolSucceededCheckerDocument,
  state: SessionState,
  seq: number,
): readonly { readonly tool: string; readonly seq: number }[] {
  return after.flatMap((tool) => {
    const success = getIn(state.tallies, tool)?.successSeq ?? null
    return success !== null && success > seq ? [{ tool, seq: success }] : []
  })
}

function check(document: ToolSucceededCheckerDocument, state: SessionState): CheckOutcome {
  const { tool } = document
  const tally = getIn(state.tallies, tool)
  const lastSeq = tally?.lastSeq ?? null
  if (tally === undefined || lastSeq === null) {
    return incomplete({
      code: 'tool.not_run',
      params: { tool },
      feedback: `Tool '${tool}' has not run yet.`,
      because: [],
    })
  }
  if (tally.last !== 'success') {
    const feedback = `The last run of tool '${tool}' did not succeed.`
    const because = [lastSeq]
    return incomplete({ code: 'tool.last_run_failed', params: { tool }, feedback, because })
  }
  const newer = newerThan(document, state, lastSeq)
  if (newer.length > 0) {
    const names = newer.map((other) => other.tool)
    const feedback = `Tool '${tool}' must succeed again after: ${names.join(', ')}.`
    const because = [lastSeq, ...newer.map(({ seq }) => seq)].sort((a, b) => a - b)
    return incomplete({
      code: 'tool.outdated',
      params: { tool, newer: names },
      feedback,
      because,
    })
  }
  return {
    status: 'passed',
    code: 'tool.succeeded',
    params: { tool },
    feedback: `Tool '${tool}' succeeded.`,
    because: [lastSeq],
  }
}

function incomplete(outcome: Omit<CheckOutcome, 'status'>): CheckOutcome {
  return { status: 'incomplete', ...outcome }
}
