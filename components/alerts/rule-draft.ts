import type { AlertRuleInput } from '@/server/alerts/alert-input.ts'
import { destinationKind } from '@/server/alerts/destination.kinds.ts'
import type { ListedRule } from '@/server/alerts/rules.ts'
import {
  ALERT_SIGNAL_NAMES,
  type AlertSignal,
  alertSignal,
  hasThreshold,
  hasWindow,
} from '@/server/alerts/signals.kinds.ts'

export interface DraftDestination {
  readonly kind: AlertRuleInput['destinations'][number]['kind']
  /** URL as typed; for email, the address; for PagerDuty, a key or the address that hides it. */
  readonly url: string
}

const MAILTO = 'mailto:'

export function mailAddress(url: string): string {
  return url.slice(MAILTO.length)
}

export interface Draft {
  readonly name: string
  readonly signal: AlertSignal
  /** Empty: any, like `prompt`. */
  readonly environment: string
  /** `ns/key` */
  readonly prompt: string
  /** Name of the runtime; empty: any. */
  readonly runtime: string
  /** Reason code; empty: any. */
  readonly code: string
  readonly windowMinutes: string
  readonly threshold: string
  readonly destinations: DraftDestination[]
}

export const NEW_DESTINATION: DraftDestination = { kind: 'webhook', url: '' }

const NEW: Draft = {
  name: '',
  signal: 'blocked_stops',
  environment: '',
  prompt: '',
  runtime: '',
  code: '',
  windowMinutes: '15',
  threshold: '5',
  destinations: [],
}

export function toDraft(rule: ListedRule | null, start: Partial<Draft>): Draft {
  if (rule === null) return { ...NEW, ...start }
  return {
    name: rule.name,
    signal: rule.signal,
    environment: rule.environment ?? '',
    prompt: rule.ns === null ? '' : `${rule.ns}/${rule.key}`,
    runtime: rule.runtime ?? '',
    code: rule.code ?? '',
    windowMinutes: String(rule.windowMinutes),
    threshold: String(rule.threshold),
    destinations: rule.destinations.map(({ kind, url }) => ({
      kind,
      url: kind === 'email' ? mailAddress(url) : url,
    })),
  }
}

/** NaN for text that is no number; no input accepts it. */
function readNumber(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text)
}

function orNull(text: string): string | null {
  return text === '' ? null : text
}

export function toConditions(draft: Draft): Omit<AlertRuleInput, 'name' | 'destinations'> {
  const { signal, environment, prompt, runtime, code, windowMinutes, threshold } = draft
  const at = prompt.lastIndexOf('/')
  return {
    signal,
    environment: orNull(environment),
    ns: at < 0 ? null : prompt.slice(0, at),
    key: at < 0 ? null : prompt.slice(at + 1),
    runtime: orNull(runtime),
    code: orNull(code),
    windowMinutes: hasWindow(signal) ? readNumber(windowMinutes) : 1,
    threshold: hasThreshold(signal) ? readNumber(threshold) : 1,
  }
}

export function toDestination({ kind, url }: DraftDestination): DraftDestination {
  return { kind, url: destinationKind(kind).toUrl(url.trim()) }
}

export function toRule(draft: Draft): AlertRuleInput {
  const destinations = draft.destinations.map(toDestination)
  return { ...toConditions(draft), name: draft.name.trim(), destinations }
}

interface StoppedFor {
  readonly verdict: string
  readonly code: string
  readonly ns: string | null
  readonly key: string | null
}

/** Null: no signal counts this verdict. */
export function draftFromStop(
  { verdict, code, ns, key }: StoppedFor,
  environment: string | undefined,
): Partial<Draft> | null {
  const signal = ALERT_SIGNAL_NAMES.find((name) => alertSignal(name).stopVerdict === verdict)
  if (signal === undefined) return null
  return {
    name: `Stop ${verdict}: ${code}`,
    signal,
    code,
    threshold: '1',
    windowMinutes: '60',
    environment: environment ?? '',
    prompt: ns === null || key === null ? '' : `${ns}/${key}`,
  }
}
