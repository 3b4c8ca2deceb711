import { configPath } from '@/components/paths/config-path.ts'

export interface PinPlace {
  /** Id of the stop or the decision. */
  readonly id: string
  readonly ns: string
  /** Key of the prompt in `ns`. */
  readonly prompt: string
  readonly recorded: 'allowed' | 'denied' | 'blocked'
  readonly kind: 'call' | 'stop'
  /** Id of the rule that refused it; null: none, or unknown. */
  readonly rule: string | null
}

export function rulePath({ ns, prompt, rule }: PinPlace): string {
  const place = rule === null ? '' : `?rule=${encodeURIComponent(rule)}`
  return `${configPath(ns, prompt)}/edit${place}`
}
