// Classifies a call that Claude reports as done. Claude also reports some calls that failed or have only begun; they are `unknown`, which
// satisfies no rule.
import { isJsonObject, type ToolOutcome } from '@signalbox/core'

const SHELLS: ReadonlySet<string> = new Set(['Bash', 'PowerShell'])
const AGENTS: ReadonlySet<string> = new Set(['Agent', 'Task'])

export function judgeOutcome(tool: string, response: unknown): ToolOutcome {
  return isOpen(tool, response) ? 'unknown' : 'success'
}

function isOpen(tool: string, response: unknown): boolean {
  // A watch has begun; what it sees comes later.
  if (tool === 'Monitor') return true
  if (!isJsonObject(response)) return false
  if (SHELLS.has(tool)) {
    // A command in the background; an interrupted one; one with an exit status other than 0 whose meaning Claude knows, such as grep
    // without a match.
    return (
      typeof response['backgroundTaskId'] === 'string' ||
      response['interrupted'] === true ||
      typeof response['returnCodeInterpretation'] === 'string'
    )
  }
  if (AGENTS.has(tool)) return response['isAsync'] === true
  // A task that does not exist.
  return tool === 'TaskUpdate' && response['success'] === false
}

/** Prefix of Claude's answer to an invalid call, which never ran. */
const NEVER_RAN = '<tool_use_error>'
/** Prefix when Claude's own permissions refused the call. */
const REFUSED = 'Claude requested permissions'

/**
 * Outcome of a call in the report on a step, when no other report exists. A call may have run unless the report denies it: the hook for its
 * end was lost.
 */
export function inferOutcome(response: unknown): { outcome: ToolOutcome; error?: string } {
  if (typeof response !== 'string') return { outcome: 'unknown' }
  if (response.startsWith(NEVER_RAN)) return { outcome: 'invalid', error: response }
  if (response.startsWith(REFUSED)) return { outcome: 'denied', error: response }
  return { outcome: 'unknown' }
}
