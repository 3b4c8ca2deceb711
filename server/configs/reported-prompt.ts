// The first config names the tools that agents call; its author writes the rules (specs/console.md).
import type { ConfigReader } from '@/server/platform/auth/scope.ts'
import type { PromptName } from './configs.sql.ts'
import { listPromptHosts, type PromptHost } from './reported-prompt.sql.ts'
import { reportedText } from './reported-text.ts'
import { activitySince } from './rule-activity.ts'

export interface ReportedPrompt {
  readonly hosts: readonly PromptHost[]
  /** The counts below are of the last `days` UTC days. */
  readonly days: number
  readonly sessions: number
  readonly tools: readonly { readonly name: string; readonly count: number }[]
  readonly text: string
}

/** Returns a blank text for a prompt without reports. */
export async function reportedPrompt(
  scope: ConfigReader,
  prompt: PromptName,
): Promise<ReportedPrompt> {
  const [hosts, { days, sums }] = await Promise.all([
    listPromptHosts(scope, prompt),
    activitySince(scope, prompt, Date.now()),
  ])
  const tools = sums.flatMap(({ kind, name, count }) => (kind === 'tool' ? [{ name, count }] : []))
  const sessions = sums.find(({ kind }) => kind === 'session')?.count ?? 0
  const names = tools.map(({ name }) => name)
  return { hosts, days, sessions, tools, text: reportedText(prompt, names) }
}
