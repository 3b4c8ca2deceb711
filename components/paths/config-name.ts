import { PromptInput } from '@/server/platform/trpc/inputs.ts'

export interface ConfigName {
  readonly ns: string
  readonly key: string
}

/** The wizard proposes it before any agent has called. */
export const FIRST_PROMPT: ConfigName = { ns: 'team', key: 'coder' }

export const NO_CONFIG_NAME =
  'Use letters, digits, ".", "_", "-", and a "/" between namespace and key.'

/** Null: the text names no prompt. */
export function parseConfigName(text: string): ConfigName | null {
  const name = text.trim()
  const cut = name.lastIndexOf('/')
  const parsed = PromptInput.safeParse({ ns: name.slice(0, cut), key: name.slice(cut + 1) })
  return cut < 0 || !parsed.success ? null : parsed.data
}
