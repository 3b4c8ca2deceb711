// An icon and a label accompany every color (specs/console.md).
import { type EventLook, type EventSign, findEventLook, type Tone } from '@signalbox/core/analysis'
import {
  Ban,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CircleQuestionMark,
  CircleStop,
  Gauge,
  GitCompareArrows,
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

export interface Look extends Omit<EventLook, 'sign'> {
  readonly icon: LucideIcon
}

const ICONS = {
  started: Radio,
  ended: CircleStop,
  message: MessageSquareText,
  requested: CircleDashed,
  finished: CircleDot,
  allowed: CircleCheck,
  denied: Ban,
  blocked: OctagonPause,
  bypassed: SkipForward,
  failed: ShieldAlert,
  unguarded: ShieldOff,
  waiting: Hourglass,
  answered: UserCheck,
  info: Info,
  caution: CircleAlert,
  warning: TriangleAlert,
  plan: ListChecks,
  usage: Gauge,
  shadow: GitCompareArrows,
  lease: Timer,
  config: SlidersHorizontal,
} as const satisfies Record<EventSign, LucideIcon>

const UNKNOWN: Look = { icon: CircleQuestionMark, word: 'Unknown type', tone: 'neutral' }

export function eventLook({ type, verdict }: Pick<EventRow, 'type' | 'verdict'>): Look {
  const look = findEventLook(type, verdict)
  return look === null ? UNKNOWN : { icon: ICONS[look.sign], word: look.word, tone: look.tone }
}

export const MARK_CLASS = {
  allow: 'text-allow-mark',
  deny: 'text-deny-mark',
  blocked: 'text-blocked-mark',
  warning: 'text-warning-mark',
  caution: 'text-caution-mark',
  info: 'text-info-mark',
  neutral: 'text-neutral-mark',
} as const satisfies Record<Tone, string>

/** Only exceptions have a color. */
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

/** The pressed state has a border of its own, distinct from the focus ring. */
export const TOGGLE_CLASS =
  'inline-flex h-6 items-center gap-1 rounded-badge border px-1.5 text-small aria-pressed:border-current aria-pressed:shadow-[inset_0_0_0_1px_currentcolor] max-sm:h-8'
