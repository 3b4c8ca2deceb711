// A status has an icon, a label and a color; color is never the only sign (specs/console.md).

import { clsx } from 'clsx'
import {
  Activity,
  Ban,
  BellOff,
  BellRing,
  CalendarClock,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CirclePause,
  CircleQuestionMark,
  CircleStop,
  History,
  Hourglass,
  Info,
  type LucideIcon,
  OctagonPause,
  Radio,
  ShieldAlert,
  ShieldMinus,
  ShieldOff,
  SkipForward,
  Split,
  TriangleAlert,
  Undo2,
  UserCheck,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { toLabel } from './to-label.ts'

interface Look {
  readonly icon: LucideIcon
  /** Absent: the name of the status. */
  readonly word?: string
  /** Absent: neutral. */
  readonly hue?: keyof typeof HUES
  /** The normal case: a neutral label, in lists without an icon, so that an icon marks what needs attention. */
  readonly quiet?: true
}

const LOOKS = {
  allowed: { icon: CircleCheck, hue: 'allow', quiet: true },
  passed: { icon: CircleCheck, hue: 'allow' },
  verified: { icon: CircleCheck, hue: 'allow', quiet: true },
  in_sync: { icon: CircleCheck, hue: 'allow', quiet: true },
  running: { icon: Radio, hue: 'info' },
  working: { icon: Radio, hue: 'info' },
  waiting: { icon: Hourglass, hue: 'info' },
  silent: { icon: CircleQuestionMark },
  unknown: { icon: CircleQuestionMark },
  connected: { icon: Radio, hue: 'info' },
  unclaimed: { icon: Hourglass, word: 'Waiting for a runtime' },
  applying: { icon: Radio, hue: 'info' },
  live: { icon: CircleCheck, quiet: true },
  partial: { icon: TriangleAlert, word: 'Partly applied', hue: 'warning' },
  staged: { icon: Split, hue: 'info' },
  scheduled: { icon: CalendarClock },
  held: { icon: CirclePause, hue: 'caution' },
  monitored: { icon: Activity, hue: 'info' },
  replaced: { icon: History },
  reverted: { icon: Undo2, word: 'Rolled back' },
  denied: { icon: Ban, hue: 'deny' },
  withheld: { icon: Ban, hue: 'deny' },
  rejected: { icon: Ban, hue: 'deny' },
  error: { icon: ShieldAlert, word: 'Error, denied', hue: 'deny' },
  diverged: { icon: ShieldAlert, hue: 'deny' },
  gap: { icon: ShieldMinus, word: 'Not fully enforced', hue: 'warning' },
  breach: { icon: ShieldOff, word: 'Not fully enforced', hue: 'deny' },
  blocked: { icon: OctagonPause, hue: 'blocked' },
  incomplete: { icon: OctagonPause, hue: 'blocked' },
  bypassed: { icon: SkipForward },
  no_checker: { icon: CircleDot },
  nothing_to_check: { icon: CircleDot },
  not_evaluated: { icon: CircleDashed },
  pending: { icon: CircleDashed, word: 'Not verified yet' },
  info: { icon: Info, hue: 'info' },
  masked: { icon: CircleAlert, hue: 'caution' },
  caution: { icon: CircleAlert, hue: 'caution' },
  warning: { icon: TriangleAlert, hue: 'warning' },
  behind: { icon: TriangleAlert, hue: 'warning' },
  ahead: { icon: CircleAlert, hue: 'caution' },
  stale: { icon: CircleQuestionMark, word: 'Silent' },
  disconnected: { icon: CircleStop },
  firing: { icon: BellRing, hue: 'deny' },
  acknowledged: { icon: UserCheck, hue: 'info' },
  muted: { icon: BellOff },
  resolved: { icon: CircleCheck, quiet: true },
  ended: { icon: CircleStop },
  lost: { icon: CircleQuestionMark },
} as const satisfies Record<string, Look>

export type Status = keyof typeof LOOKS

/** Written out, because Tailwind finds class names only as whole words in the source. */
const HUES = {
  allow: { text: 'text-allow-fg', mark: 'text-allow-mark', box: 'border-allow-bd bg-allow-bg' },
  deny: { text: 'text-deny-fg', mark: 'text-deny-mark', box: 'border-deny-bd bg-deny-bg' },
  blocked: {
    text: 'text-blocked-fg',
    mark: 'text-blocked-mark',
    box: 'border-blocked-bd bg-blocked-bg',
  },
  info: { text: 'text-info-fg', mark: 'text-info-mark', box: 'border-info-bd bg-info-bg' },
  caution: {
    text: 'text-caution-fg',
    mark: 'text-caution-mark',
    box: 'border-caution-bd bg-caution-bg',
  },
  warning: {
    text: 'text-warning-fg',
    mark: 'text-warning-mark',
    box: 'border-warning-bd bg-warning-bg',
  },
  neutral: {
    text: 'text-neutral-fg',
    mark: 'text-neutral-mark',
    box: 'border-neutral-bd bg-neutral-bg',
  },
} as const

/** With what the table leaves out. */
function findLook(status: Status) {
  const { word = toLabel(status), hue = 'neutral', ...look }: Look = LOOKS[status]
  return { ...look, word, ...HUES[hue] }
}

export function isStatus(word: string): word is Status {
  return Object.hasOwn(LOOKS, word)
}

export function StatusIcon({
  status,
  size = 14,
}: {
  readonly status: Status
  readonly size?: number
}) {
  const { icon: Icon, mark } = findLook(status)
  return <Icon size={size} className={clsx('shrink-0', mark)} aria-hidden />
}

export function StatusText({
  status,
  children,
}: {
  readonly status: Status
  readonly children?: ReactNode
}) {
  const { quiet, text, word } = findLook(status)
  return (
    <span
      data-status={status}
      data-quiet={quiet}
      className="inline-flex min-w-0 max-w-full items-center gap-1.5"
    >
      {quiet === true ? null : <StatusIcon status={status} />}
      <span
        className={clsx(
          'min-w-0 self-baseline overflow-hidden text-ellipsis',
          quiet === true ? 'text-text-2' : text,
        )}
      >
        {children ?? word}
      </span>
    </span>
  )
}

/** Bypassed has a dashed box, because nothing was checked. */
export function StatusBadge({
  status,
  children,
}: {
  readonly status: Status
  readonly children?: ReactNode
}) {
  const { box, text, word } = findLook(status)
  return (
    <span
      data-status={status}
      className={clsx(
        'inline-flex h-[22px] items-center gap-1 whitespace-nowrap rounded-badge border px-1.5 font-medium text-small',
        box,
        text,
        status === 'bypassed' && 'border-dashed',
      )}
    >
      <StatusIcon status={status} size={12} />
      {/* The label, not the icon, aligns with the baseline of the row. */}
      <span className="self-baseline leading-[20px]">{children ?? word}</span>
    </span>
  )
}
