// For harnesses that treat exit code 2 as a refusal and every other failure as permission: every failure becomes a refusal.

const REASON = "'The guardrails could not be reached, so this is refused.'"
const AGAIN = `'The guardrails still could not be reached, so the agent may stop.'`

/** `command`: a shell command that reads the hook from its standard input and writes the answer. */
export function refusingCommand(command: string): string {
  return `${command} || { echo ${REASON} >&2; exit 2; }`
}

/** An unreachable guard blocks a stop only once, because an agent must not work forever when its guard is gone. */
export function refusingStopCommand(command: string): string {
  const again = `*'"stop_hook_active":true'*) echo ${AGAIN} >&2; exit 1`
  return `hook=$(cat); printf %s "$hook" | ${command} || case $hook in ${again};; *) echo ${REASON} >&2; exit 2;; esac`
}
