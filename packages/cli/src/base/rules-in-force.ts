import type { SourceStatus } from '@signalbox/runtime'

/** `isInForce` false: every tool call is denied. */
export interface RulesInForce {
  readonly isInForce: boolean
  readonly sentence: string
}

/** `status` null: the rules come from a file. */
export function describeRules(status: SourceStatus | null, prompt: string): RulesInForce {
  if (status === null)
    return { isInForce: true, sentence: `The rules of ${prompt} in its file apply.` }
  const { applied, environment, rejected, trouble } = status
  const place = applied?.environment ?? environment
  if (applied?.applied != null) {
    const since = rejected === null ? '' : ` A newer version was rejected: ${rejected.reason}`
    return {
      isInForce: true,
      sentence: `The rules of ${prompt} v${applied.applied.version} in ${place} apply.${since}`,
    }
  }
  const why =
    applied !== null
      ? `${place} has no version of ${prompt}. Publish one, or correct the prompt.`
      : (rejected?.reason ?? trouble ?? 'The control plane has not answered yet.')
  return { isInForce: false, sentence: `Every tool call is denied, because no rules apply. ${why}` }
}

export interface ConsoleConnection {
  readonly isConnected: boolean
  readonly sentence: string
}

/** null: the rules come from a file. */
export function describeConsole(status: SourceStatus | null): ConsoleConnection | null {
  if (status === null) return null
  const { applied, answeredAt, trouble } = status
  const last = answeredAt === null ? null : formatTime(answeredAt)
  if (trouble === null) {
    const sentence = last === null ? 'has not answered yet' : `answered at ${last}`
    return { isConnected: last !== null, sentence }
  }
  const rules = applied?.applied == null ? '' : 'the rules in force stay, and '
  return {
    isConnected: false,
    sentence: `not connected since ${last ?? 'the daemon started'} (${trouble.replace(/\.$/, '')}); ${rules}events that cannot be sent wait on this machine`,
  }
}

function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
