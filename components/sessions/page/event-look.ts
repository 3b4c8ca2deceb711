// Look of an event: icon, word and tone. One table for rows, inspector, stops and decisions, so that the same thing has the same word and
// icon everywhere (ux.md §3.4).
import type { EventType } from '@signalbox/core'
import {
  Ban,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CircleQuestionMark,
  CircleStop,
  FileText,
  Gauge,
  GitCompareArrows,
  HeartPulse,
  Hourglass,
  Info,
  ListChecks,
  type LucideIcon,
  MessageSquareText,
  OctagonPause,
  Radio,
  ShieldAlert,
  ShieldOff,
  SkipForward,
  SlidersHorizontal,
  Timer,
  TriangleAlert,
  UserCheck,
} from 'lucide-react'
import type { EventRow } from './session-rows.ts'

export type Tone = 'allow' | 'deny' | 'blocked' | 'warning' | 'caution' | 'info' | 'neutral'

export interface Look {
  readonly icon: LucideIcon
  readonly word: string
  readonly tone: Tone
}

const look = (icon: LucideIcon, word: string, tone: Tone = 'neutral'): Look => ({
  icon,
  word,
  tone,
})

const CALLS: ReadonlyMap<string, Look> = new Map(
  Object.entries({
    allowed: look(CircleCheck, 'allowed', 'allow'),
    denied: look(Ban, 'Denied', 'deny'),
    error: look(ShieldAlert, 'Error, denied', 'deny'),
  }),
)

const STOPS: ReadonlyMap<string, Look> = new Map(
  Object.entries({
    allowed: look(CircleCheck, 'Stop allowed', 'allow'),
    blocked: look(OctagonPause, 'Stop blocked', 'blocked'),
    bypassed: look(SkipForward, 'Bypassed'),
    no_checker: look(CircleDot, 'No checker'),
    error: look(ShieldAlert, 'Error, blocked', 'deny'),
  }),
)

const FEEDBACK: ReadonlyMap<string, Look> = new Map(
  Object.entries({
    info: look(Info, 'Info', 'info'),
    caution: look(CircleAlert, 'Caution', 'caution'),
    warning: look(TriangleAlert, 'Warning', 'warning'),
  }),
)

/** Decisions and feedback look as their verdict does. */
type ByVerdict = 'tool.decided' | 'stop.decided' | 'feedback.delivered'

const TYPES: ReadonlyMap<string, Look> = new Map(
  Object.entries({
    'session.started': look(Radio, 'Started'),
    'session.ended': look(CircleStop, 'Ended'),
    'prompt.rendered': look(MessageSquareText, 'Prompt rendered'),
    'prompt.executed': look(MessageSquareText, 'Prompt executed'),
    'tool.requested': look(CircleDashed, 'requested'),
    'approval.requested': look(Hourglass, 'Waits for approval', 'caution'),
    'approval.decided': look(UserCheck, 'Approval'),
    'tool.invoked': look(CircleDot, 'finished'),
    'feedback.failed': look(ShieldAlert, 'Feedback failed', 'deny'),
    'plan.updated': look(ListChecks, 'Plan updated'),
    'file.observed': look(FileText, 'File observed'),
    'usage.recorded': look(Gauge, 'Usage'),
    'stop.attempted': look(CircleDashed, 'Stop attempted'),
    'completion.overridden': look(SkipForward, 'Overridden'),
    'enforcement.lapsed': look(ShieldOff, 'Not enforced', 'deny'),
    'shadow.started': look(GitCompareArrows, 'Shadow version'),
    'shadow.differed': look(GitCompareArrows, 'Would differ', 'caution'),
    'shadow.stopped': look(GitCompareArrows, 'Shadow stopped'),
    'lease.extended': look(Timer, 'Lease extended'),
    'lease.expired': look(Timer, 'Lease expired'),
    'config.applied': look(SlidersHorizontal, 'Config applied'),
    'config.rejected': look(SlidersHorizontal, 'Config rejected', 'warning'),
    heartbeat: look(HeartPulse, 'Heartbeat'),
    note: look(MessageSquareText, 'Note'),
  } as const satisfies { readonly [Type in Exclude<EventType, ByVerdict>]: Look }),
)

const UNKNOWN: Look = look(CircleQuestionMark, 'Unknown type')

function stopLook(verdict: string): Look {
  return STOPS.get(verdict) ?? UNKNOWN
}

function callLook(verdict: string): Look {
  return CALLS.get(verdict) ?? UNKNOWN
}

export function eventLook({ type, verdict }: Pick<EventRow, 'type' | 'verdict'>): Look {
  const known = verdict ?? ''
  if (type === 'tool.decided') return callLook(known)
  if (type === 'stop.decided') return stopLook(known)
  if (type === 'feedback.delivered') return FEEDBACK.get(known) ?? UNKNOWN
  return TYPES.get(type) ?? UNKNOWN
}

/** The icon's colour. */
export const MARK_CLASS = {
  allow: 'text-allow-mark',
  deny: 'text-deny-mark',
  blocked: 'text-blocked-mark',
  warning: 'text-warning-mark',
  caution: 'text-caution-mark',
  info: 'text-info-mark',
  neutral: 'text-neutral-mark',
} as const satisfies Record<Tone, string>

/** The word's colour: only exceptions have one (ux.md §0.3, rule 4). */
export const WORD_CLASS = {
  allow: 'text-text-2',
  deny: 'text-deny-fg',
  blocked: 'text-blocked-fg',
  warning: 'text-warning-fg',
  caution: 'text-caution-fg',
  info: 'text-info-fg',
  neutral: 'text-text-2',
} as const satisfies Record<Tone, string>

export const BADGE_CLASS = {
  allow: 'border-allow-bd bg-allow-bg text-allow-fg',
  deny: 'border-deny-bd bg-deny-bg text-deny-fg',
  blocked: 'border-blocked-bd bg-blocked-bg text-blocked-fg',
  warning: 'border-warning-bd bg-warning-bg text-warning-fg',
  caution: 'border-caution-bd bg-caution-bg text-caution-fg',
  info: 'border-info-bd bg-info-bg text-info-fg',
  neutral: 'border-neutral-bd bg-neutral-bg text-neutral-fg',
} as const satisfies Record<Tone, string>

/** Toggle button above the list; its pressed state has its own border, distinct from the focus ring. */
export const TOGGLE_CLASS =
  'inline-flex h-6 items-center gap-1 rounded-badge border px-1.5 text-small aria-pressed:border-current aria-pressed:shadow-[inset_0_0_0_1px_currentcolor] max-sm:h-8'
